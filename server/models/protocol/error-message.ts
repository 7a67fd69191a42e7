import { plainText } from '../../lib/text/plain-text.ts'
import { isRecord } from '../../lib/values/is-record.ts'

const maxChars = 500
const removed = '[key]'

/**
 * Patterns of keys, complete or masked, and of random text: 16 or more letters and digits mixed. The
 * look-behind starts a match only at the beginning of a run of characters, which keeps the time linear.
 */
const keyLike: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|AIza)[-_]?[\w-]{12,}/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /(?<![^\s"'`,;:()])[^\s"'`,;:()]*[*•]{3,}[^\s"'`,;:()]*/g,
  /(?<![A-Za-z0-9])(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}/g,
]

const maxLength = 16_384

/**
 * Returns a provider's message as one line for a person. The call's key, its beginning and its end are
 * removed, also if reversed, in other case or percent-encoded, and so is anything that looks like a key.
 */
export function readableMessage(text: string, secrets: readonly string[]): string {
  // Cut only after known keys are removed: part of a key at the cut would not be recognized.
  const limit = maxLength + Math.max(0, ...secrets.map((secret) => secret.length * maxEscape))
  const withoutKey = secrets
    .filter((secret) => secret !== '')
    .flatMap(patternsOf)
    .reduce((rest, pattern) => rest.replace(pattern, removed), text.slice(0, limit))
  const safe = keyLike.reduce(
    (rest, pattern) => rest.replace(pattern, removed),
    withoutKey.slice(0, maxLength),
  )
  return plainText(safe.trim().replace(/\s+/g, ' '), maxChars)
}

/** Length of `%2525ff`: a percent-encoded byte whose percent sign is encoded twice more. */
const maxEscape = 7
const encoder = new TextEncoder()

/** Returns a pattern for one character, unchanged or as percent-encoded bytes. */
function charPattern(char: string): string {
  const bytes = [...encoder.encode(char)].map((byte) => `%(?:25){0,2}${byte.toString(16).padStart(2, '0')}`)
  return `(?:${char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}|${bytes.join('')})`
}

/** Returns patterns of a key, its beginning and its end, forwards and backwards. */
function patternsOf(secret: string): RegExp[] {
  return [secret, ...ends(secret)].flatMap((text) => {
    const chars = [...text].map(charPattern)
    return [new RegExp(chars.join(''), 'gi'), new RegExp(chars.toReversed().join(''), 'gi')]
  })
}

const ends = (secret: string): string[] =>
  secret.length < 24 ? [] : [secret.slice(0, 12), secret.slice(-12)]

/** Finds the message in an error of any common shape; null if there is none. */
export function messageIn(error: unknown): string | null {
  if (typeof error === 'string') return error.trim() === '' ? null : error
  if (Array.isArray(error)) return messageIn(error[0])
  if (!isRecord(error)) return null
  for (const name of ['error', 'message', 'detail', 'msg', 'title']) {
    const found = messageIn(error[name])
    if (found !== null) return found
  }
  return null
}

/** Finds the message in the body of a refusal. A body that is not JSON, such as a page, contains none. */
export function messageInBody(body: string): string | null {
  try {
    return messageIn(JSON.parse(body))
  } catch {
    return null
  }
}
