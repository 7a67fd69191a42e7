import { z } from 'zod'

/**
 * The price of a model from a day on. The newest price not after the run applies; among prices of the same
 * day, the longest pattern.
 */
export const Price = z.strictObject({
  provider: z.string().trim().min(1).max(128),
  model: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .meta({ description: 'A model name; a trailing `*` matches any ending' }),
  from: z.iso.date(),
  input_usd_per_million: z.number().min(0).max(100_000),
  output_usd_per_million: z.number().min(0).max(100_000),
})
export type Price = z.infer<typeof Price>

/** Maximum number of rows in the whole table. */
export const maxPrices = 2000
