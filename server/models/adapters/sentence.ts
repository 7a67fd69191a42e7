import { plainText } from '../../lib/plain-text.ts'

const mostChars = 500
const removed = '[key]'

/** Keys as providers write them, whole or half hidden, and anything made at random: sixteen letters and digits mixed. */
const keyLike: readonly RegExp[] = [
  /\b(?:sk|pk|rk|gsk|xai|AIza)[-_]?[\w-]{12,}/g,
  /\b(?:bearer|basic)\s+[\w.~+/=-]{8,}/gi,
  /[^\s"'`,;:()]*[*•]{3,}[^\s"'`,;:()]*/g,
  /(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}/g,
]

/**
 * What a provider says, as one line for a person: without the key of the call (nor its beginning or end) and without
 * what looks like one.
 */
export function sentence(text: string, secrets: readonly string[]): string {
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, encodeURIComponent(secret), ...ends(secret)])
  const withoutKey = spellings.reduce((rest, spelling) => rest.replaceAll(spelling, removed), text)
  const safe = keyLike.reduce((rest, pattern) => rest.replace(pattern, removed), withoutKey.slice(0, 16_384))
  return plainText(safe.trim().replace(/\s+/g, ' '), mostChars)
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
