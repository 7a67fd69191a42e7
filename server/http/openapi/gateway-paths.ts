import { type ProblemCode, problems } from '../../../contract/common/problem.ts'
import { permissionRoles } from '../../../contract/common/roles.ts'
import {
  type GatewayOperation,
  type GatewayProtocol,
  type GatewayRoute,
  gatewayHeaders,
  gatewayProtocols,
} from '../../../contract/gateway/gateway.ts'

type Json = Record<string, unknown>

export const gatewayTag = 'Gateway'

/** The security schemes of the gateway: where the clients of the protocols send a key. */
export const gatewaySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  googleApiKey: { type: 'apiKey', in: 'header', name: 'x-goog-api-key' },
  gatewayToken: {
    type: 'apiKey',
    in: 'header',
    name: gatewayHeaders.token,
    description:
      'With `pass_through_key`: the token, while the header of the client has its own provider key',
  },
} as const

const text = { type: 'string' }

const descriptions = {
  provider: 'Name of the provider; by default the built-in one with this protocol',
  workspace: 'ID or slug; by default the only workspace of the token, else `default`',
  prompt: '`key` or `key@version` of the prompt that the call is for',
  env: '`dev`, `test` or `prod`',
  session: 'Conversation that the call is part of',
  tags: 'Separated by commas',
} as const

const headers = Object.entries(descriptions).map(([name, description]) => ({
  name: gatewayHeaders[name as keyof typeof descriptions],
  in: 'header',
  required: false,
  description,
  schema: text,
}))

const isCall = (operation: GatewayOperation): boolean => operation === 'chat' || operation === 'embeddings'

/** Statuses of the HTTP parser, which replies before it is known that a request is for the gateway. */
const parserStatuses: ReadonlySet<number> = new Set([408, 414, 431])
const problem = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** The errors of the service, before or in place of a reply of the provider. */
const codes: readonly ProblemCode[] = [
  'request.malformed',
  'auth.required',
  'auth.invalid_token',
  'auth.forbidden',
  'not_found',
  'request.timeout',
  'request.too_large',
  'request.uri_too_long',
  'request.headers_too_large',
  'rate_limited',
  'budget.used_up',
  'internal',
  'provider.failed',
  'provider.unavailable',
  'store.unavailable',
  'provider.timeout',
  'store.full',
]

const errors = Object.fromEntries(
  [...new Set(codes.map((code) => problems[code].status))].map((status) => [
    String(status),
    {
      description: `${codes
        .filter((code) => problems[code].status === status)
        .map((code) => `\`${code}\``)
        .join(', ')}, in the form of the protocol; or the error of the provider`,
      ...(status === problems.rate_limited.status && {
        headers: { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } },
      }),
      content: parserStatuses.has(status) ? problem : { 'application/json': { schema: { type: 'object' } } },
    },
  ]),
)

function operationOf({ label }: GatewayProtocol, route: GatewayRoute, path: string): Json {
  const { method, operation, summary } = route
  const runId = { [gatewayHeaders.runId]: { description: 'ID for `GET /api/runs/:id`', schema: text } }
  return {
    operationId:
      `${method.toLowerCase()}${path.replace(/[^a-z0-9]+(\w)/gi, (_, letter: string) => letter.toUpperCase())}`.replace(
        /\W/g,
        '',
      ),
    tags: [gatewayTag],
    summary: `${summary} (${label})`,
    description: `Passes request and reply on unchanged, except authentication and address. ${
      isCall(operation) ? 'Each call is a run.' : 'It is no model call and has no run.'
    } Requires an API token with \`gateway\`, or the service token. Required role: ${permissionRoles['gateway.use']}.`,
    security: [{ bearer: [] }, { apiKey: [] }, { googleApiKey: [] }, { gatewayToken: [] }],
    parameters: [
      ...(path.includes('{model}') ? [{ name: 'model', in: 'path', required: true, schema: text }] : []),
      ...headers,
    ],
    ...(method === 'POST' && {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    responses: {
      '200': {
        description: 'The reply of the provider, byte for byte',
        ...(isCall(operation) && { headers: runId }),
        content: {
          'application/json': { schema: { type: 'object' } },
          'text/event-stream': { schema: text },
        },
      },
      ...errors,
    },
  }
}

/** The routes of the gateway. */
export const gatewayPaths: Readonly<Record<string, Json>> = pathsOf()

function pathsOf(): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const protocol of Object.values(gatewayProtocols) as readonly GatewayProtocol[])
    for (const route of protocol.routes) {
      const path = `${protocol.base}${route.path}`
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(protocol, route, path) }
    }
  return paths
}
