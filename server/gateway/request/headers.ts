import { gatewayHeaders } from '../../../contract/gateway/gateway.ts'

/** Headers of one connection (RFC 9110, 7.6.1). */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Headers about the address of a request: the host, and those that proxies add on the way to this service. */
const addressing = ['host', 'cookie', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-for', 'x-forwarded-host']
const requestOnly = [
  'content-length',
  'expect',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-prefix',
]

/** Headers in which callers send tokens and keys. */
const credentials = ['authorization', 'x-api-key', 'x-goog-api-key']

/** Headers about the host of a reply, which is now another one. A browser would delete or report data of the console. */
const hostOnly = [
  'alt-svc',
  'clear-site-data',
  'nel',
  'report-to',
  'reporting-endpoints',
  'strict-transport-security',
]

const ownPrefix = 'promptdeck-'

const dropped = {
  request: new Set([...hopByHop, ...addressing, ...requestOnly]),
  requestKeys: new Set(credentials),
  reply: new Set([...hopByHop, ...hostOnly]),
}

/** Returns the names that the header `Connection` lists: they are hop-by-hop too. */
function listedIn(raw: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue
    for (const name of raw[index + 1]?.split(',') ?? []) names.add(name.trim().toLowerCase())
  }
  return names
}

/** Returns the headers, as alternating names and values, whose names pass a test. Order and spelling are kept. */
function filtered(raw: readonly string[], isDropped: (name: string) => boolean): string[] {
  const listed = listedIn(raw)
  const result: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? ''
    if (listed.has(name) || name.startsWith(ownPrefix) || isDropped(name)) continue
    result.push(raw[index] ?? '', raw[index + 1] ?? '')
  }
  return result
}

/**
 * Returns the headers to send to a provider. `keys`: the headers that authenticate; null: those of the caller are
 * passed on. `isRewritten`: the body is not that of the caller, and has no content encoding.
 */
export function providerHeaders(
  raw: readonly string[],
  keys: Readonly<Record<string, string>> | null,
  isRewritten: boolean,
): string[] {
  const kept = filtered(
    raw,
    (name) =>
      dropped.request.has(name) ||
      (keys !== null && dropped.requestKeys.has(name)) ||
      (isRewritten && name === 'content-encoding'),
  )
  return keys === null ? kept : [...kept, ...Object.entries(keys).flat()]
}

/** Returns the headers to send to the caller. */
export function callerHeaders(raw: readonly string[], runId: string | null): string[] {
  const kept = filtered(raw, (name) => dropped.reply.has(name))
  return runId === null ? kept : [...kept, gatewayHeaders.runId, runId]
}

/**
 * Returns the query to send to a provider. `key` is how some clients of one protocol authenticate; tokens are not read
 * from it, because addresses are logged.
 */
export function providerSearch(search: string, hasOwnKey: boolean): string {
  if (search === '') return ''
  const kept = search.split('&').filter((part) => hasOwnKey || !/^key(?:=|$)/i.test(part))
  return kept.length === 0 ? '' : `?${kept.join('&')}`
}
