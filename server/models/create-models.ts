import { ProviderName } from '../../contract/models.ts'
import { adapterOf } from './adapters/adapter-of.ts'
import type { Generate } from './adapters/source.ts'
import { type ModelChoice, ModelError, type Models } from './model.ts'
import { checkRequest } from './params.ts'
import { withOutputCap } from './policies/cap.ts'
import { withDeadline } from './policies/deadline.ts'
import { withRetries } from './policies/retry.ts'
import { withStallLimit } from './policies/stall.ts'
import { createTurns, inTurn, type Turns } from './policies/turns.ts'
import { type Sleep, sleep as systemSleep } from './policies/waiting.ts'
import { type Fetch, type ProviderSettings, whyNotConfigured } from './settings.ts'

export type ModelsParts = {
  readonly settingsOf: (name: ProviderName) => ProviderSettings
  /** What reaches the provider: it guards the way. A `ModelError` it throws reaches the caller as it is. */
  readonly fetchOf: (name: ProviderName) => Fetch
  /** Of a call that sets none. */
  readonly timeoutMs?: number
  /** Between two signs of life of a stream that has begun. */
  readonly stallMs?: number
  readonly sleep?: Sleep
  readonly random?: () => number
}

/** The built-in providers, each with its policies. Settings are asked for at each call. */
export function createModels(parts: ModelsParts): Models {
  const { timeoutMs = 120_000, stallMs = 30_000, sleep = systemSleep, random = Math.random } = parts
  const turnsOf = new Map<ProviderName, Turns>()

  const generateWith = (name: ProviderName): Generate => {
    const settings = () => parts.settingsOf(name)
    const source = adapterOf(name, { settings, fetch: parts.fetchOf(name), sleep })
    // The offline provider fails only when it was asked to; trying again would not change its mind.
    const tried = name === 'mock' ? source : withRetries(source, { sleep, random })
    const turns = turnsOf.get(name) ?? createTurns()
    turnsOf.set(name, turns)
    const whole = inTurn(withOutputCap(withStallLimit(tried, stallMs)), turns, () => settings().concurrency)
    const timed = withDeadline(whole, timeoutMs)
    return async function* (request, signal) {
      const reason = whyNotConfigured(name, settings())
      if (reason !== null) throw new ModelError('not_configured', reason)
      checkRequest(name, request)
      yield* timed(request, signal)
    }
  }

  return {
    find(given): ModelChoice | null {
      const name = ProviderName.safeParse(given).data
      if (name === undefined) return null
      const settings = parts.settingsOf(name)
      return {
        name,
        defaultModel: settings.defaultModel,
        isConfigured: whyNotConfigured(name, settings) === null,
        generate: generateWith(name),
      }
    },
  }
}
