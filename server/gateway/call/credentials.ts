import type { IncomingHttpHeaders } from 'node:http'
import { gatewayHeaders } from '../../../contract/gateway/gateway.ts'
import { bearerToken } from '../../lib/text/bearer-token.ts'
import type { Exchange } from './exchange.ts'

const single = (header: string | readonly string[] | undefined): string | null =>
  typeof header === 'string' && header.trim() !== '' ? header.trim() : null

/** The credentials in the headers of the clients, in order of precedence. */
const inClientHeaders = (headers: IncomingHttpHeaders): (string | null)[] => [
  bearerToken(headers.authorization),
  single(headers['x-api-key']),
  single(headers['x-goog-api-key']),
]

const ownToken = (headers: IncomingHttpHeaders): string | null =>
  single(headers[gatewayHeaders.token.toLowerCase()])

/** Returns the token of a request to the gateway: where its client sends a key, or apart from the caller's own key. */
export const gatewayToken = (headers: IncomingHttpHeaders): string | null =>
  ownToken(headers) ?? inClientHeaders(headers).find((found) => found !== null) ?? null

/** Returns true if the credentials in the other headers are for the provider. */
export const hasOwnCredentials = (headers: IncomingHttpHeaders): boolean => ownToken(headers) !== null

/** Returns the keys in the address, where clients of Gemini may send theirs: decoded, and as they were sent. */
const inSearch = (search: string): string[] =>
  search
    .split('&')
    .filter((part) => /^key=/i.test(part))
    .flatMap((part) => [...new URLSearchParams(part).values(), part.slice('key='.length)])

/** Returns everything in a request that error messages and the run log must not contain. */
export function secretsOf({ req, search }: Pick<Exchange, 'req' | 'search'>): string[] {
  const found = [ownToken(req.headers), ...inClientHeaders(req.headers), ...inSearch(search)]
  return found.filter((secret): secret is string => secret !== null && secret !== '')
}
