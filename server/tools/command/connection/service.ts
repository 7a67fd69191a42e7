import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { Failure } from '../io/failure.ts'
import { jsonOf, reasonIn } from './reply.ts'
import { readText, send } from './send.ts'

/** The service that a command uses. */
export type Service = {
  readonly origin: string
  /** The path below which the service is published, such as `/deck`; absent for the root. */
  readonly basePath?: string
  /** `local`: the service of the data folder on this machine. `stored`: a paired server. */
  readonly via: 'local' | 'stored' | 'address'
  /** Name of the stored server, else null. */
  readonly name: string | null
  readonly ca: string | null
  /** Called for each request, because local tokens are valid briefly. */
  readonly token: () => string | null
}

/** Returns the path of a route of the service. */
export const pathAt = ({ basePath = '' }: Pick<Service, 'basePath'>, path: string): string =>
  `${basePath}${path}`

type More = { readonly body?: unknown; readonly timeoutMs?: number }

/** For requests that read or write the whole store before they reply. */
export const takesLong: More = { timeoutMs: 3_600_000 }
const maxReplyBytes = 16 * 1024 * 1024

/** Sends a request and returns the reply's JSON as the schema parses it. Throws a `Failure`. */
export async function call<Schema extends z.ZodType>(
  service: Service,
  method: string,
  path: string,
  schema: Schema,
  more?: More,
): Promise<z.output<Schema>> {
  const reply = await open(service, method, path, more)
  const parsed = schema.safeParse(jsonOf(await readText(reply, maxReplyBytes)))
  if (parsed.success) return parsed.data
  throw new Failure(
    `${service.origin} sent an unexpected reply`,
    `${method} ${path}: ${z.prettifyError(parsed.error).split('\n')[0] ?? ''}`,
    'Check that the address is that of a Promptdeck service of the same version as this command',
  )
}

/** Sends a request and returns its successful reply, to be read as a stream. Throws a `Failure` for any other. */
export async function open(
  service: Service,
  method: string,
  path: string,
  { body, ...more }: More = {},
): Promise<IncomingMessage> {
  const token = service.token()
  const reply = await send({
    origin: service.origin,
    method,
    path: pathAt(service, path),
    ca: service.ca,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...more,
  })
  const status = reply.statusCode ?? 0
  if (status >= 200 && status < 300) return reply
  throw failureOf(service, status, await readText(reply, maxReplyBytes))
}

/** Returns the failure for a reply that is not successful. */
export function failureOf(service: Service, status: number, text: string): Failure {
  const what = `${service.origin} rejected the request`
  return new Failure(what, reasonIn(status, text), remedyOf(service, status))
}

function remedyOf(service: Service, status: number): string {
  if (status === 401)
    return service.via === 'stored'
      ? `Pair again: "promptdeck pair ${new URL(service.origin).host}"`
      : 'Set PROMPTDECK_TOKEN or --token to a valid token'
  if (status === 403) return 'Set PROMPTDECK_TOKEN or --token to an admin token'
  if (status === 404 || status === 405)
    return 'Check the name or ID. If it is correct, update the service: it may be older than this command'
  if (status === 429 || status >= 500) return 'Try again later, or read the log of the service'
  return 'Correct what the reason names, and run the command again'
}
