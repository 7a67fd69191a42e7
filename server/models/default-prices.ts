import type { Price } from '../../contract/models/prices.ts'
import { providers } from './providers.ts'

/**
 * The prices that apply until an admin changes the table: list prices in US dollars per million tokens, as
 * published by the providers up to November 2025: standard tier, text, without caching or batch discounts; if
 * a price depends on the prompt's length, the lower band. `from` is the first day of a price, so that older
 * runs keep their price.
 */
export const defaultPrices: readonly Price[] = Object.values(providers).flatMap(({ prices }) =>
  (prices?.names ?? []).flatMap((provider) =>
    (prices?.models ?? []).map(([model, from, input, output]) => ({
      provider,
      model,
      from,
      input_usd_per_million: input,
      output_usd_per_million: output,
    })),
  ),
)

/** The providers whose calls cost nothing. */
export const freeProviders: ReadonlySet<string> = new Set(
  Object.entries(providers).flatMap(([name, { isFree }]) => (isFree ? [name] : [])),
)
