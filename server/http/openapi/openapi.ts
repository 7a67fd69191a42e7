import { z } from 'zod'
import type { Endpoint, MediaType, Method } from '../../../contract/common/endpoint.ts'
import { ProblemBody, type ProblemCode, problems } from '../../../contract/common/problem.ts'
import { permissionRoles } from '../../../contract/common/roles.ts'
import { telemetryEndpoints } from '../../../contract/telemetry/telemetry.ts'
import type { BasePath } from '../../lib/text/base-path.ts'
import { bodyLimitOf } from '../steps/input.ts'
import { gatewayPathsOf, gatewaySchemes, gatewayTag } from './gateway-paths.ts'
import { rateHeaders, sizeText } from './reply-headers.ts'
import { parserCodes, systemPaths, systemTag } from './system-paths.ts'
import { inOtlp } from './telemetry-operation.ts'

type Json = Record<string, unknown>

/** Named schemas: those that refer to themselves. Collected while the document is created. */
type Shared = Record<string, Json>

/**
 * Converts a schema. A named schema with defaults differs between reply and request: `Name` and `NameInput`.
 */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', shared: Shared): Json {
  const {
    $schema: _,
    $defs = {},
    ...json
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  const nameOf = (name: string) => (io === 'input' ? `${name}Input` : name)
  const withSharedRefs = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (key, node: unknown) =>
      key === '$ref' && typeof node === 'string'
        ? node.replace(/^#\/\$defs\/(.*)$/, (_whole, name: string) => `#/components/schemas/${nameOf(name)}`)
        : node,
    )
  const names = Object.keys($defs)
  if (names.length === 0) return json
  for (const name of names) shared[nameOf(name)] = withSharedRefs($defs[name]) as Json
  return withSharedRefs(json)
}

/** The facts of an instance that its description contains. */
type Instance = {
  readonly version: string
  readonly basePath: BasePath
  /** Maximum size of a request body of the gateway. */
  readonly gatewayBodyBytes: number
}

/** Creates the OpenAPI 3.1 description of the endpoint tables: every route, every reply, examples. */
export function createOpenApi(
  endpoints: readonly Endpoint[],
  { version, basePath, gatewayBodyBytes }: Instance,
): Json {
  const paths: Record<string, Record<string, Json>> = {}
  const shared: Shared = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    const methods: Method[] = endpoint.alias ? [endpoint.method, endpoint.alias] : [endpoint.method]
    for (const method of methods) {
      paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint, method, shared) }
    }
  }
  for (const endpoint of telemetryEndpoints)
    paths[endpoint.path] = { post: inOtlp(operation(endpoint, 'POST', shared)) }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Promptdeck',
      version,
      description:
        'Manages prompts, agents and workflows, and records model runs, changes and connected clients. Errors are problem details (RFC 9457). An empty string for an optional field or filter counts as absent, unless the field accepts it, as descriptions do.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    tags: [
      ...new Set([...[...endpoints, ...telemetryEndpoints].map(({ tag }) => tag), gatewayTag, systemTag]),
    ].map((name) => ({ name })),
    paths: { ...paths, ...gatewayPathsOf(gatewayBodyBytes), ...systemPaths },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, ...gatewaySchemes },
      schemas: { Problem: schemaOf(ProblemBody, 'output', shared), ...shared },
    },
  }
}

function operation(endpoint: Endpoint, method: Method, shared: Shared): Json {
  const role = roleOf(endpoint)
  const notes = [
    endpoint.description,
    role && `Required role: ${role}.`,
    endpoint.idempotent && 'Honours `Idempotency-Key`.',
  ]
  return {
    operationId: `${method.toLowerCase()}${endpoint.path.replace(/[^a-z]+(\w)/gi, (_, letter: string) => letter.toUpperCase())}`,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: notes.filter(Boolean).join(' '),
    security: endpoint.permission === 'public' ? [] : [{ bearer: [] }],
    parameters: [
      ...parameters(endpoint.params, 'path', shared),
      ...parameters(endpoint.query, 'query', shared),
      ...idempotencyKey(endpoint),
      ...precondition(endpoint),
    ],
    ...(endpoint.body && {
      requestBody: {
        description: `At most ${sizeText(bodyLimitOf(endpoint))}`,
        required: !endpoint.body.safeParse(undefined).success,
        content: {
          'application/json': {
            schema: schemaOf(endpoint.body, 'input', shared),
            example: endpoint.example.body,
          },
        },
      },
    }),
    responses: {
      [endpoint.status ?? 200]: success(endpoint, shared),
      ...(endpoint.mayAccept && { '202': { description: 'Accepted, without a body' } }),
      ...notModified(endpoint),
      ...failures(endpoint),
    },
  }
}

function roleOf({ permission }: Endpoint): string | null {
  if (permission === 'public') return null
  return permission === 'signed_in' ? 'any' : permissionRoles[permission]
}

function parameters(schema: z.ZodType | undefined, where: 'path' | 'query', shared: Shared): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input', shared) as {
    properties?: Json
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: property,
  }))
}

function idempotencyKey(endpoint: Endpoint): Json[] {
  if (!endpoint.idempotent) return []
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  ]
}

function precondition({ etag, method, problems = [] }: Endpoint): Json[] {
  if (!etag || (method !== 'GET' && !problems.includes('precondition.failed'))) return []
  const name = method === 'GET' ? 'If-None-Match' : 'If-Match'
  return [{ name, in: 'header', required: false, schema: { type: 'string' } }]
}

function success(endpoint: Endpoint, shared: Shared): Json {
  const schema = schemaOf(endpoint.reply, 'output', shared)
  const { reply } = endpoint.example
  const example = endpoint.replyAs === 'file' ? reply : endpoint.reply.parse(reply)
  const { replyAs, mediaTypes = [], etag } = endpoint
  const content =
    replyAs === 'file'
      ? Object.fromEntries(mediaTypes.map((type) => [type, fileContent(type, { schema, example })]))
      : {
          'application/json': { schema, example },
          ...(replyAs === 'stream' && { 'text/event-stream': { schema: eventSchema } }),
        }
  const disposition = { 'Content-Disposition': { schema: { type: 'string' } } }
  const headers = etag ? etagHeader : replyAs === 'file' ? disposition : null
  return { description: endpoint.summary, content, ...(headers && { headers }) }
}

/** One event: in OpenAPI 3.1, tools read the schema of an event stream as that of each event. */
const eventSchema = {
  type: 'object',
  properties: { event: { type: 'string' }, data: { type: 'string', contentMediaType: 'application/json' } },
  required: ['event', 'data'],
}

const etagHeader = { ETag: { schema: { type: 'string' } } }

/**
 * Returns the content of a file reply: the schema of one line for JSON lines, an object for JSON and YAML,
 * otherwise text or bytes.
 */
function fileContent(type: MediaType, line: Json): Json {
  if (type === 'application/x-ndjson') return line
  if (type === 'application/vnd.sqlite3') return { schema: { type: 'string', format: 'binary' } }
  const isDocument = type === 'application/json' || type === 'application/yaml'
  return { schema: { type: isDocument ? 'object' : 'string' } }
}

/** Returns the reply to a read whose `If-None-Match` matches the current state. */
function notModified({ etag, method }: Endpoint): Record<string, Json> {
  if (!etag || method !== 'GET') return {}
  return { '304': { description: 'Not modified, without a body', headers: etagHeader } }
}

/** Returns the errors of a route: those that every route may return, and its own. */
function failures(endpoint: Endpoint): Record<string, Json> {
  const always: ProblemCode[] = [
    'request.invalid',
    'request.misdirected',
    ...parserCodes,
    'rate_limited',
    'internal',
    'store.unavailable',
  ]
  const guarded: ProblemCode[] =
    endpoint.permission === 'public'
      ? []
      : ['auth.required', 'auth.invalid_token', 'auth.forbidden', 'auth.password_change_required']
  // On loopback these endpoints do not exist.
  const onLoopback: ProblemCode[] = endpoint.lanOnly ? ['not_found'] : []
  const withBody: ProblemCode[] = endpoint.body ? ['request.too_large', 'request.unsupported_media_type'] : []
  const byStatus = new Map<number, Set<ProblemCode>>()
  for (const code of [...always, ...guarded, ...onLoopback, ...withBody, ...(endpoint.problems ?? [])]) {
    const { status } = problems[code]
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: [...codes].map((code) => `\`${code}\``).join(', '),
        ...(status === problems.rate_limited.status && { headers: rateHeaders }),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  )
}
