import type { Price } from '../../../../contract/models/prices.ts'
import { freeProviders } from '../../../models/default-prices.ts'

/**
 * Maximum cost of one call in nano-dollars: 10,000 dollars, which is also the maximum in a report. A higher
 * cost indicates a wrong price or token count.
 */
const maxNano = 1e13

export type Usage = {
  readonly provider: string
  readonly model: string
  readonly promptTokens: number | null
  readonly outputTokens: number | null
  readonly createdAt: number
}

/** Returns the cost of a run in nano-dollars; null if unknown. */
export type Pricer = (usage: Usage) => number | null

type Rule = {
  readonly pattern: string
  readonly isPrefix: boolean
  readonly from: number
  readonly inputNano: number
  readonly outputNano: number
}

const pricers = new WeakMap<readonly Price[], Pricer>()

/**
 * Returns the pricer of a price table. It uses the newest price not after the run; among prices of the same
 * day, the longest pattern.
 */
export function pricerOf(prices: readonly Price[]): Pricer {
  const pricer = pricers.get(prices) ?? createPricer(prices)
  pricers.set(prices, pricer)
  return pricer
}

function createPricer(prices: readonly Price[]): Pricer {
  const byProvider = new Map<string, Rule[]>()
  for (const price of prices) {
    const isPrefix = price.model.endsWith('*')
    const rules = byProvider.get(price.provider) ?? []
    byProvider.set(price.provider, rules)
    rules.push({
      pattern: isPrefix ? price.model.slice(0, -1) : price.model,
      isPrefix,
      from: Date.parse(price.from),
      // Dollars per million tokens are thousands of nano-dollars per token.
      inputNano: price.input_usd_per_million * 1000,
      outputNano: price.output_usd_per_million * 1000,
    })
  }
  for (const rules of byProvider.values()) rules.sort(byPrecedence)

  return ({ provider, model, promptTokens, outputTokens, createdAt }) => {
    if (freeProviders.has(provider)) return 0
    if (promptTokens === null && outputTokens === null) return null
    const rule = byProvider
      .get(provider)
      ?.find(
        ({ from, isPrefix, pattern }) =>
          from <= createdAt && (isPrefix ? model.startsWith(pattern) : model === pattern),
      )
    if (rule === undefined) return null
    const nano = Math.round((promptTokens ?? 0) * rule.inputNano + (outputTokens ?? 0) * rule.outputNano)
    return nano <= maxNano ? nano : null
  }
}

/** Sorts rules by precedence. An exact name precedes a prefix with the same letters. */
function byPrecedence(a: Rule, b: Rule): number {
  return b.from - a.from || b.pattern.length - a.pattern.length || Number(a.isPrefix) - Number(b.isPrefix)
}
