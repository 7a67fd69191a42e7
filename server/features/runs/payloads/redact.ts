/**
 * Patterns of secrets in captured input and output: first known token formats, then `name = value` pairs
 * whose name indicates a secret. All patterns take linear time: none has nested repetitions.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----BEGIN )[\s\S]){0,16384}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    '[private key]',
  ],
  [/\b(?:sk|pk|rk)-(?:ant-|proj-|live-|test-|or-)?[A-Za-z0-9_-]{16,}/g, '[api key]'],
  [/\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}/g, '[api key]'],
  [/\bAIza[0-9A-Za-z_-]{30,}/g, '[api key]'],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, '[access key]'],
  [/\bgh[pousr]_[A-Za-z0-9]{20,}\b/g, '[token]'],
  [/\bgithub_pat_[A-Za-z0-9_]{20,}\b/g, '[token]'],
  [/\bglpat-[A-Za-z0-9_-]{16,}/g, '[token]'],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g, '[token]'],
  [/\bpd_[a-z]{2,8}_[A-Za-z0-9_-]{16,}/g, '[token]'],
  [
    // The look-ahead is checked once per sequence of token characters, so that many beginnings without an
    // end take linear time.
    /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8})([A-Za-z0-9_-]*?)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
    '$1[jwt]',
  ],
  [/\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{12,}/gi, '$1$2[token]'],
  [/([a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{1,128}:)[^\s@/]{1,256}@/gi, '$1[password]@'],
  [
    // The value is a word, or a list in brackets.
    /((?:password|passwd|pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|client[_-]?secret)["']?\s{0,4}[:=]\s{0,4}["']?)(?:\[[^\]]{1,4096}\]?|[^\s"',;&]{4,256})/gi,
    '$1[secret]',
  ],
  [/\b(?:\d{4}[ -]?){3}\d{4}\b/g, '[card number]'],
]

const secretName =
  /^(?:.*[_-])?(?:password|passwd|pwd|secret|api_?-?key|access_?-?key|authorization|auth_?-?token|private_?-?key|client_?-?secret)$/i

/** Replaces all known patterns of secrets in a text. */
export function redactText(text: string): string {
  return patterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
}

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
