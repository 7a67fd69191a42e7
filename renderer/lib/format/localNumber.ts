/**
 * Locale of the browser, for numbers that a person types: a form must accept what it shows, in the notation of
 * its user.
 */
const browserLocale = (): string => navigator.language

type Separators = { readonly group: string; readonly decimal: string }

function separatorsOf(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true, numberingSystem: 'latn' }).formatToParts(
    12_345.6,
  )
  const textOf = (type: string, byDefault: string) =>
    parts.find((part) => part.type === type)?.value ?? byDefault
  return { group: textOf('group', ','), decimal: textOf('decimal', '.') }
}

/** Spaces that locales use between groups of digits; people type a plain one. */
const anySpace = /[\s\u00a0\u202f]/g
const plainSpaces = (text: string): string => text.replace(anySpace, ' ')

/** Returns true for digits in groups: one group of any length, or `1,204,500`, or `12,04,500` as in India. */
const isGrouping = (groups: readonly string[]): boolean =>
  groups.length === 1
    ? /^\d+$/.test(groups[0] ?? '')
    : /^\d{1,3}$/.test(groups[0] ?? '') &&
      groups.slice(1, -1).every((group) => /^\d{2,3}$/.test(group)) &&
      /^\d{3}$/.test(groups.at(-1) ?? '')

/**
 * Parses a number in the notation of a locale, by default the browser's: `1,204.5` in English, `1.204,5` in
 * German. Returns NaN for any other text, also for the notation of another locale: `2.5` in German could mean
 * 25.
 */
export function parseLocalNumber(text: string, locale = browserLocale()): number {
  const { group, decimal } = separatorsOf(locale)
  const [whole = '', fraction, ...more] = plainSpaces(text.trim()).split(decimal)
  const groups = whole.split(plainSpaces(group))
  const isValid =
    more.length === 0 && isGrouping(groups) && (fraction === undefined || /^\d+$/.test(fraction))
  return isValid ? Number(`${groups.join('')}.${fraction ?? '0'}`) : Number.NaN
}

/** Formats a number for a text field: in the notation of the locale, without separators of groups. */
export const typedNumber = (value: number, locale = browserLocale()): string =>
  new Intl.NumberFormat(locale, {
    useGrouping: false,
    numberingSystem: 'latn',
    maximumFractionDigits: 12,
  }).format(value)

/** Formats a price in US dollars in the notation of the locale, with all its digits. */
export const formatPrice = (usd: number, locale = browserLocale()): string =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    numberingSystem: 'latn',
    minimumFractionDigits: 2,
    maximumFractionDigits: 12,
  }).format(usd)
