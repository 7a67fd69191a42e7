import autocannon from 'autocannon'
import { type Process, token } from './processes.ts'

export type Request = {
  readonly path: string
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly body?: string
  readonly headers?: Record<string, string>
  /** Returns the n-th of many paths, all different, that are sent instead of `path`. */
  readonly distinct?: (n: number) => string
}

export type LoadOptions = {
  readonly connections: number
  readonly seconds: number
  /** Requests per second of all connections; by default as many as the process handles. */
  readonly perSecond?: number
}

/** Number of paths of one connection in a burst. After the last path it starts with the first again. */
const pathsPerConnection = 500
let lastPath = 0

/** Returns paths that no earlier burst has sent. */
const nextPaths = (distinct: (n: number) => string) =>
  Array.from({ length: pathsPerConnection }, () => {
    lastPath += 1
    return { path: distinct(lastPath) }
  })

/** The result of a burst of requests. */
export type Load = {
  readonly perSecond: number
  /** Processor time of the process per request, in microseconds. */
  readonly cpu: number
  /** Latencies in milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** Sends a request repeatedly for a number of seconds. Throws if a reply is an error. */
export async function load(
  target: Process,
  { path, method = 'GET', body, headers, distinct }: Request,
  { connections, seconds, perSecond }: LoadOptions,
): Promise<Load> {
  const before = await target.cpu()
  const result = await autocannon({
    url: target.url + path,
    method,
    connections,
    duration: seconds,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
    ...(perSecond !== undefined && { overallRate: perSecond }),
    ...(distinct !== undefined && { setupClient: (client) => client.setRequests(nextPaths(distinct)) }),
  })
  const cpu = (await target.cpu()) - before
  const failed = result['4xx'] + result['5xx']
  if (result.errors + result.timeouts + failed > 0)
    throw new Error(`${method} ${path}: ${result.errors} errors, ${failed} replies with 4xx or 5xx`)
  const count = result.requests.total
  return {
    perSecond: count / result.duration,
    cpu: cpu / count,
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}

/** Sends one request and returns the text and headers of its reply. Throws if it is an error. */
export async function send(target: Process, { path, method = 'GET', body, headers }: Request) {
  const reply = await fetch(target.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  })
  const text = await reply.text()
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
  return { text, headers: reply.headers }
}

export async function post(target: Process, path: string, body: unknown): Promise<{ readonly id: string }> {
  const { text } = await send(target, { path, method: 'POST', body: JSON.stringify(body) })
  return JSON.parse(text).data
}
