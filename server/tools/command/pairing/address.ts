import { UsageError } from '../io/failure.ts'

/** Port on which a service is shared. */
const sharedPort = 4743

/** The input for pairing: a typed address, or the scanned link of an admin's page. */
export type PairAddress = {
  /** Origin, such as `https://desk.local:4743`. */
  readonly origin: string
  /** One-time secret of the link. */
  readonly secret: string | null
  /** SHA-256 of the CA as 64 hex digits. */
  readonly fingerprint: string | null
}

/**
 * Parses `host`, `host:port`, `https://host:port`, and the links `https://…/pair#secret=…&fp=…` and
 * `promptdeck://pair?address=…&secret=…&fp=…`. Throws a `UsageError` for anything else.
 */
export function parsePairAddress(text: string): PairAddress {
  if (/^promptdeck:/i.test(text)) return parseDeepLink(text)
  const isUrl = text.includes('://')
  if (isUrl && !/^https:\/\//i.test(text))
    throw new UsageError(`Pairing needs an https address or a host such as desk.local:${sharedPort}.`)
  const url = urlOf(isUrl ? text : `https://${text}`, text)
  const facts = new URLSearchParams(url.hash.slice(1))
  return { origin: originOf(url), ...secretsOf(facts) }
}

function parseDeepLink(text: string): PairAddress {
  const facts = urlOf(text, text).searchParams
  const address = facts.get('address')
  if (address === null) throw new UsageError('The link has no address. Copy it again from the admin’s page.')
  return { origin: originOf(urlOf(`https://${address}`, address)), ...secretsOf(facts) }
}

const secretsOf = (facts: URLSearchParams): Pick<PairAddress, 'secret' | 'fingerprint'> => ({
  secret: facts.get('secret'),
  fingerprint: facts.has('fp') ? parseFingerprint(facts.get('fp') ?? '') : null,
})

function urlOf(text: string, shown: string): URL {
  if (URL.canParse(text)) return new URL(text)
  throw new UsageError(`"${shown}" is not an address. Use one such as desk.local:${sharedPort}.`)
}

function originOf(url: URL): string {
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The address must not contain a user name or password.')
  return `https://${url.hostname}:${url.port === '' ? sharedPort : url.port}`
}

/** Returns a SHA-256 fingerprint as 64 lower-case hex digits. Accepts `:` and spaces between them. */
export function parseFingerprint(text: string): string {
  const hex = text.replace(/[:\s]/g, '').toLowerCase()
  if (/^[0-9a-f]{64}$/.test(hex)) return hex
  throw new UsageError('A fingerprint has 64 hex digits (SHA-256), with or without ":" between pairs.')
}
