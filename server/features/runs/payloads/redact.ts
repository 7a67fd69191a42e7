import { secretFields, secretNames } from './redact-fields.ts'

/** Returns the pattern of a token at the beginning of a word, or after an escaped line break, as in JSON. */
const token = (source: string, flags = 'g'): RegExp =>
  new RegExp(String.raw`(?:\b|(?<=\\[bfnrt]))${source}`, flags)

/**
 * Patterns of secrets in captured input and output, by their format. All patterns take linear time: none has
 * nested repetitions.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----BEGIN )[\s\S]){0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    '[private key]',
  ],
  [token('(?:sk|pk|rk)-(?:ant-|proj-|live-|test-|or-)?[A-Za-z0-9_-]{16,}'), '[api key]'],
  [token('(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}'), '[api key]'],
  [token('AIza[0-9A-Za-z_-]{30,}'), '[api key]'],
  [token(String.raw`(?:AKIA|ASIA)[0-9A-Z]{16}\b`), '[access key]'],
  [token(String.raw`gh[pousr]_[A-Za-z0-9]{20,}\b`), '[token]'],
  [token(String.raw`github_pat_[A-Za-z0-9_]{20,}\b`), '[token]'],
  [token('glpat-[A-Za-z0-9_-]{16,}'), '[token]'],
  [token('xox[abeoprs]-[A-Za-z0-9-]{10,}'), '[token]'],
  [token('pd_[a-z]{2,8}_[A-Za-z0-9_-]{16,}'), '[token]'],
  [
    // The look-ahead is checked once per sequence of token characters, so that many beginnings without an
    // end take linear time.
    /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8})([A-Za-z0-9_-]*?)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
    '$1[jwt]',
  ],
  [token(String.raw`(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{12,}`, 'gi'), '$1$2[token]'],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,128}:)[^\s@/]{1,256}@/gi, '$1[password]@'],
  [/\b(?:\d{4}[ -]?){3}\d{4}\b/g, '[card number]'],
]

const secretName = new RegExp(`^(?:.*[_-])?(?:${secretNames})$`, 'i')

/**
 * Replaces all known patterns of secrets in a text, then the values of fields whose names indicate a secret, such as
 * `password = value`, also in JSON whose quotes are escaped.
 */
export function redactText(text: string): string {
  const rest = patterns.reduce((all, [pattern, replacement]) => all.replace(pattern, replacement), text)
  let source = rest
  let found = secretFields(source)
  const plain = withoutCodePoints(rest)
  const foundInPlain = plain === rest ? found : secretFields(plain)
  // A text without such secrets is stored as it is.
  if (foundInPlain.length > found.length) [source, found] = [plain, foundInPlain]
  let result = ''
  let at = 0
  for (const { from, to } of found) {
    result += `${source.slice(at, from)}[secret]`
    at = to
  }
  return result + source.slice(at)
}

/** Replaces quotes, `:` and `=` that strings of JSON contain as code points. */
const withoutCodePoints = (text: string): string =>
  text.replaceAll(/(?<!\\)(\\+)u00(22|27|3a|3d)/gi, (_, { length }: string, code: string) => {
    const char = String.fromCharCode(Number.parseInt(code, 16))
    return `${'\\'.repeat(char === '"' ? escapesOf(length) : otherEscapesOf(length))}${char}`
  })

/** Returns the backslashes in front of a quote whose code point has `length`. Each string around it doubles them. */
const escapesOf = (length: number): number => (length % 2 === 1 ? length : 2 * escapesOf(length / 2) + 1)

/** Returns the backslashes in front of a code point of `length` that do not belong to it. Other characters need none. */
const otherEscapesOf = (length: number): number =>
  length % 2 === 1 ? length - 1 : 2 * otherEscapesOf(length / 2)

/**
 * Returns the value with all its strings redacted. A string, number or list in a field whose name indicates a
 * secret is replaced as a whole. An object is not: a JSON Schema describes such a field by one.
 */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secretName.test(name) && isSecretValue(field) ? '[secret]' : redact(field),
    ]),
  )
}

const isSecretValue = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || Array.isArray(value)
