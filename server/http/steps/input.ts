import type { IncomingMessage } from 'node:http'
import getRawBody from 'raw-body'
import { z } from 'zod'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { jsonFault } from '../../../contract/formats/json.ts'
import { emptyAsAbsent } from '../../lib/empty-as-absent.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { invalidRequest } from '../problem.ts'

/** Maximum size of a request body in bytes. */
const maxBodyBytes = 1024 * 1024
/** Maximum size of the body of a public endpoint in bytes: nobody is signed in, and the inputs are short. */
const maxPublicBodyBytes = 64 * 1024

/** Returns the maximum size of a request body of an endpoint, in bytes. */
export const bodyLimitOf = ({ permission }: Pick<Endpoint, 'permission'>): number =>
  permission === 'public' ? maxPublicBodyBytes : maxBodyBytes

const NoBody = z.strictObject({}).optional()
const NoQuery = z.strictObject({})

/**
 * Converts query parameters to an object. Repeated parameters become a list; the schema decides which may be
 * repeated.
 */
function queryObject(search: URLSearchParams): Record<string, string | string[]> {
  const values = new Map<string, [string, ...string[]]>()
  for (const [name, value] of search) {
    const previous = values.get(name)
    if (previous === undefined) values.set(name, [value])
    else previous.push(value)
  }
  // Defines properties rather than assigning them, because a parameter may be called `__proto__`.
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]))
}

/** Reads and parses a JSON body. Returns undefined if there is none. Throws 400, 413, 415 or 422. */
export async function readBody(
  req: IncomingMessage,
  endpoint: Pick<Endpoint, 'permission'>,
): Promise<unknown> {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
  if (!hasBody) return undefined
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    throw fail('request.unsupported_media_type', { detail: 'Send the body as application/json.' })
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw fail('request.unsupported_media_type', { detail: 'Send the body without a content encoding.' })
  }
  const limit = bodyLimitOf(endpoint)
  const bytes = await getRawBody(req, {
    limit,
    ...(req.headers['content-length'] !== undefined && { length: req.headers['content-length'] }),
  }).catch((cause: unknown) => {
    const isTooLarge = cause instanceof Error && 'type' in cause && cause.type === 'entity.too.large'
    if (isTooLarge)
      throw fail('request.too_large', { detail: `This request body can have at most ${limit / 1024} KiB.` })
    throw fail('request.malformed', { detail: 'The body ended too early.', cause })
  })
  const body = parseJson(bytes)
  const fault = jsonFault(body)
  if (fault !== null) throw invalid(fault.path.slice(0, 200), fault.message)
  return body
}

function parseJson(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    throw fail('request.malformed', { detail: 'The body is not JSON in UTF-8.', cause })
  }
}

/** The path parameters of a request, decoded. */
export type Params = Readonly<Record<string, string | string[] | undefined>>

/** The parts of a request before validation. */
export type Raw = {
  readonly params: Params
  readonly search: URLSearchParams
  readonly body: unknown
}

/** Removes empty values from repeated parameters. */
function withoutEmpty(given: Record<string, string | string[]>): Record<string, string | string[]> {
  const query = { ...given }
  for (const [name, value] of Object.entries(given)) {
    if (!Array.isArray(value) || !value.includes('')) continue
    const [first = '', ...more] = value.filter((text) => text !== '')
    Object.defineProperty(query, name, { value: more.length === 0 ? first : [first, ...more] })
  }
  return query
}

/** The validated parts of a request. */
export type Parsed = { readonly params: unknown; readonly query: unknown; readonly body: unknown }

/**
 * Validates a request against its endpoint. Throws 404 for an invalid path parameter, 422 for anything else.
 */
export function parseInput(endpoint: Endpoint, raw: Raw): Parsed {
  const params = endpoint.params?.safeParse(raw.params)
  if (params && !params.success) throw fail('not_found')
  const querySchema = endpoint.query ?? NoQuery
  const query = querySchema.safeParse(emptyAsAbsent(querySchema)(withoutEmpty(queryObject(raw.search))))
  if (!query.success) throw invalidRequest(query.error, 'query.')
  const bodySchema = endpoint.body ?? NoBody
  const body = bodySchema.safeParse(emptyAsAbsent(bodySchema)(raw.body))
  if (!body.success) throw invalidRequest(body.error, '')
  return { params: params?.data, query: query.data, body: body.data }
}
