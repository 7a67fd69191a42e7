import { plainText } from '../../lib/plain-text.ts'

const mostChars = 500
const removed = '[key]'

/**
 * Keys as providers write them, whole or half hidden, and anything made at random: sixteen letters and digits mixed. A
 * look-behind lets each run of characters be tried from its beginning only, so that the time is linear.
 */
const keyLike: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|AIza)[-_]?[\w-]{12,}/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<![^\s"'`,;:()])[^\s"'`,;:()]*[*•]{3,}[^\s"'`,;:()]*/g,
  /(?<![A-Za-z0-9])(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}/g,
]

const mostRead = 16_384

/**
 * Returns what a provider says as one line for a person, without the key of the call (nor its beginning or end, whether
 * spelled backwards, in other case or percent-encoded) and without what looks like a key.
 */
export function sentence(text: string, secrets: readonly string[]): string {
  // Cut after the known keys are removed: half a key at the cut would not be found.
  const most = mostRead + Math.max(0, ...secrets.map((secret) => secret.length * longestEscape))
  const withoutKey = secrets
    .filter((secret) => secret !== '')
    .flatMap(spellingsOf)
    .reduce((rest, spelling) => rest.replace(spelling, removed), text.slice(0, most))
  const safe = keyLike.reduce(
    (rest, pattern) => rest.replace(pattern, removed),
    withoutKey.slice(0, mostRead),
  )
  return plainText(safe.trim().replace(/\s+/g, ' '), mostChars)
}

/** Characters of `%2525ff`: percent-encoded three times over. */
const longestEscape = 7
const encoder = new TextEncoder()

/** A pattern of one character, as it is or as the percent-encoded bytes of it. */
function spelled(char: string): string {
  const bytes = [...encoder.encode(char)].map((byte) => `%(?:25){0,2}${byte.toString(16).padStart(2, '0')}`)
  return `(?:${char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}|${bytes.join('')})`
}

/** Patterns of a key, its beginning and its end, forwards and backwards. */
function spellingsOf(secret: string): RegExp[] {
  return [secret, ...ends(secret)].flatMap((text) => {
    const chars = [...text].map(spelled)
    return [new RegExp(chars.join(''), 'gi'), new RegExp(chars.toReversed().join(''), 'gi')]
  })
}

const ends = (secret: string): string[] =>
  secret.length < 24 ? [] : [secret.slice(0, 12), secret.slice(-12)]

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The sentence inside an error, in the shapes that are about; null where there is none. */
export function sentenceIn(error: unknown): string | null {
  if (typeof error === 'string') return error.trim() === '' ? null : error
  if (Array.isArray(error)) return sentenceIn(error[0])
  if (!isObject(error)) return null
  for (const name of ['error', 'message', 'detail', 'msg', 'title']) {
    const found = sentenceIn(error[name])
    if (found !== null) return found
  }
  return null
}

/** The sentence in the body of a refusal. A body that is no JSON says nothing to a person: pages, traces. */
export function sentenceInBody(body: string): string | null {
  try {
    return sentenceIn(JSON.parse(body))
  } catch {
    return null
  }
}
