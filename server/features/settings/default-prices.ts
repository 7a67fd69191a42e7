import type { Price } from '../../../contract/settings.ts'

/**
 * List prices in US dollars per million tokens, as published by the providers up to November 2025: standard
 * tier, text, without caching or batch discounts; if a price depends on the prompt's length, the lower band.
 * An admin edits them in the settings. `from` is the first day of a price, so that older runs keep their
 * price.
 *
 * The newest matching price takes precedence over the longest pattern. Therefore no pattern may match an
 * older model of the same family: each name is exact, with `-2*` for its dated snapshots
 * (`gpt-4o-2024-08-06`).
 */
type Line = readonly [model: string, from: string, input: number, output: number]

const openai: readonly Line[] = [
  ['gpt-3.5-turbo', '2024-01-25', 0.5, 1.5],
  ['gpt-4', '2023-03-14', 30, 60],
  ['gpt-4-turbo', '2023-11-06', 10, 30],
  ['gpt-4o', '2024-05-13', 5, 15],
  ['gpt-4o', '2024-08-06', 2.5, 10],
  ['gpt-4o-mini', '2024-07-18', 0.15, 0.6],
  ['gpt-4.1', '2025-04-14', 2, 8],
  ['gpt-4.1-mini', '2025-04-14', 0.4, 1.6],
  ['gpt-4.1-nano', '2025-04-14', 0.1, 0.4],
  ['gpt-5', '2025-08-07', 1.25, 10],
  ['gpt-5-mini', '2025-08-07', 0.25, 2],
  ['gpt-5-nano', '2025-08-07', 0.05, 0.4],
  ['gpt-5-pro', '2025-10-06', 15, 120],
  ['gpt-5.1', '2025-11-13', 1.25, 10],
  ['o1', '2024-12-17', 15, 60],
  ['o1-mini', '2024-09-12', 3, 12],
  ['o1-mini', '2025-01-31', 1.1, 4.4],
  ['o3', '2025-04-16', 10, 40],
  ['o3', '2025-06-10', 2, 8],
  ['o3-mini', '2025-01-31', 1.1, 4.4],
  ['o3-pro', '2025-06-10', 20, 80],
  ['o4-mini', '2025-04-16', 1.1, 4.4],
]
const openaiExact: readonly Line[] = [
  // The alias refers to a newer snapshot since then; the first snapshot kept its price.
  ['gpt-4o-2024-05-13', '2024-08-06', 5, 15],
  ['chatgpt-4o-latest', '2024-08-15', 5, 15],
  ['text-embedding-3-small', '2024-01-25', 0.02, 0],
  ['text-embedding-3-large', '2024-01-25', 0.13, 0],
]
const anthropic: readonly Line[] = [
  ['claude-3-opus*', '2024-03-04', 15, 75],
  ['claude-3-sonnet*', '2024-03-04', 3, 15],
  ['claude-3-haiku*', '2024-03-13', 0.25, 1.25],
  ['claude-3-5-sonnet*', '2024-06-20', 3, 15],
  ['claude-3-5-haiku*', '2024-11-04', 0.8, 4],
  ['claude-3-7-sonnet*', '2025-02-24', 3, 15],
  ['claude-sonnet-4*', '2025-05-22', 3, 15],
  ['claude-opus-4*', '2025-05-22', 15, 75],
  ['claude-opus-4-1*', '2025-08-05', 15, 75],
  ['claude-sonnet-4-5*', '2025-09-29', 3, 15],
  ['claude-haiku-4-5*', '2025-10-15', 1, 5],
  ['claude-opus-4-5*', '2025-11-24', 5, 25],
]
const google: readonly Line[] = [
  ['gemini-1.5-pro*', '2024-10-01', 1.25, 5],
  ['gemini-1.5-flash*', '2024-08-12', 0.075, 0.3],
  ['gemini-1.5-flash-8b*', '2024-10-03', 0.0375, 0.15],
  ['gemini-2.0-flash*', '2025-02-05', 0.1, 0.4],
  ['gemini-2.0-flash-lite*', '2025-02-25', 0.075, 0.3],
  ['gemini-2.5-pro*', '2025-06-17', 1.25, 10],
  ['gemini-2.5-flash*', '2025-06-17', 0.3, 2.5],
  ['gemini-2.5-flash-lite*', '2025-07-22', 0.1, 0.4],
  ['gemini-3-pro*', '2025-11-18', 2, 12],
]
/** Local models have no price per token. */
const local: readonly Line[] = [['*', '2020-01-01', 0, 0]]

const snapshots = (lines: readonly Line[]): Line[] =>
  lines.flatMap(([model, from, input, output]): Line[] => [
    [model, from, input, output],
    [`${model}-2*`, from, input, output],
  ])

const pricesOf = (providers: readonly string[], lines: readonly Line[]): Price[] =>
  providers.flatMap((provider) =>
    lines.map(([model, from, input, output]) => ({
      provider,
      model,
      from,
      input_usd_per_million: input,
      output_usd_per_million: output,
    })),
  )

/**
 * The prices that apply until an admin changes the table. Apps name a provider by its own or its models'
 * name.
 */
export const defaultPrices: readonly Price[] = [
  ...pricesOf(['openai'], [...snapshots(openai), ...openaiExact]),
  ...pricesOf(['claude', 'anthropic'], anthropic),
  ...pricesOf(['gemini', 'google'], google),
  ...pricesOf(['ollama', 'mock'], local),
]
