import { Price } from '../../../../contract/models/prices.ts'
import { parseLocalNumber, typedNumber } from '../../../lib/format/localNumber.ts'
import { t } from '../../../lib/i18n.ts'

/** Returns the identity of a price; the service rejects a table with duplicates. */
export const keyOf = ({ provider, model, from }: Price): string => JSON.stringify([provider, model, from])

const compare = (a: Price, b: Price): number =>
  a.provider.localeCompare(b.provider) || a.model.localeCompare(b.model) || b.from.localeCompare(a.from)

/** Sorts by provider and model, newest price first. */
export const sorted = (prices: readonly Price[]): Price[] => prices.toSorted(compare)

const isSame = (a: Price, b: Price | undefined): boolean =>
  a.input_usd_per_million === b?.input_usd_per_million &&
  a.output_usd_per_million === b.output_usd_per_million

/**
 * Compares the edited table with the saved one: marks by key, and the number of differences including removed
 * rows.
 */
export function differences(before: readonly Price[], after: readonly Price[]) {
  const saved = new Map(before.map((price) => [keyOf(price), price]))
  const remainingKeys = new Set(after.map(keyOf))
  const marks = new Map<string, 'new' | 'changed'>()
  for (const price of after) {
    const previous = saved.get(keyOf(price))
    if (previous === undefined) marks.set(keyOf(price), 'new')
    else if (!isSame(price, previous)) marks.set(keyOf(price), 'changed')
  }
  const removed = before.filter((price) => !remainingKeys.has(keyOf(price))).length
  return { marks, count: marks.size + removed }
}

/** The fields of a price as typed. */
export type PriceText = {
  provider: string
  model: string
  from: string
  input_usd_per_million: string
  output_usd_per_million: string
}
const priceFields = [
  'provider',
  'model',
  'from',
  'input_usd_per_million',
  'output_usd_per_million',
] as const satisfies readonly (keyof PriceText)[]

/** Parses an amount of an imported file, which has no notation of its own. */
const parsePlain = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text.trim()))
type ParseAmount = (text: string) => number

const errorMessages: Readonly<Record<keyof PriceText, () => string>> = {
  provider: () => t('settings:prices.provider_missing'),
  model: () => t('settings:prices.model_missing'),
  from: () => t('settings:prices.from_bad'),
  input_usd_per_million: () => t('settings:prices.amount_bad', { example: typedNumber(2.5) }),
  output_usd_per_million: () => t('settings:prices.amount_bad', { example: typedNumber(2.5) }),
}

/** Returns the reason why the text is invalid, by the contract's schema; null if it is valid. */
export function fieldErrorOf(
  field: keyof PriceText,
  text: string,
  parseAmount: ParseAmount = parseLocalNumber,
): string | null {
  const value = field.endsWith('_million') ? parseAmount(text) : text
  return Price.shape[field].safeParse(value).success ? null : errorMessages[field]()
}

/** Parses a price from text; throws if a field is invalid. */
export const toPrice = (text: PriceText, parseAmount: ParseAmount = parseLocalNumber): Price =>
  Price.parse({
    ...text,
    from: text.from.trim(),
    input_usd_per_million: parseAmount(text.input_usd_per_million),
    output_usd_per_million: parseAmount(text.output_usd_per_million),
  })

/**
 * Splits a line into values, such as `a,"b ""c""",d`. A price contains no line breaks, so each line is one
 * record.
 */
function valuesOf(line: string): string[] {
  const separator = line.includes('\t') ? '\t' : line.includes(';') ? ';' : ','
  const values: string[] = []
  const cell = new RegExp(`\\s*(?:"((?:[^"]|"")*)"|([^${separator}]*))\\s*(?:${separator}|$)`, 'y')
  while (cell.lastIndex < line.length) {
    const match = cell.exec(line)
    if (match === null) break
    values.push((match[1]?.replaceAll('""', '"') ?? match[2] ?? '').trim())
  }
  return values
}

const isHeading = (values: readonly string[]): boolean =>
  values[0]?.toLowerCase() === 'provider' && values[1]?.toLowerCase() === 'model'

/** Parses pasted lines into prices, and returns an error message for each invalid line. */
export function parsePrices(text: string): { readonly prices: Price[]; readonly errors: string[] } {
  const prices: Price[] = []
  const errors: string[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const values = valuesOf(line)
    if (isHeading(values)) continue
    const addError = (reason: string): void =>
      void errors.push(t('settings:prices.import_line', { line: index + 1, reason }))
    if (values.length < priceFields.length) {
      addError(t('settings:prices.import_columns'))
      continue
    }
    const fields = Object.fromEntries(
      priceFields.map((name, column) => [name, values[column] ?? '']),
    ) as PriceText
    const error = priceFields
      .map((name) => fieldErrorOf(name, fields[name], parsePlain))
      .find((reason) => reason !== null)
    if (error === undefined) prices.push(toPrice(fields, parsePlain))
    else addError(error ?? '')
  }
  return { prices, errors }
}

/** Returns the sorted table with `more` added; a price with the same key is replaced. */
export function mergePrices(prices: readonly Price[], more: readonly Price[]): Price[] {
  const all = new Map(prices.map((price) => [keyOf(price), price]))
  for (const price of more) all.set(keyOf(price), price)
  return sorted([...all.values()])
}
