import { type ProblemCode, problems } from '../../../contract/common/problem.ts'
import { permissionRoles } from '../../../contract/common/roles.ts'
import {
  type GatewayOperation,
  type GatewayProtocol,
  type GatewayRoute,
  gatewayBases,
  gatewayHeaders,
  gatewayProtocols,
} from '../../../contract/gateway/gateway.ts'
import { rateHeaders, sizeText } from './reply-headers.ts'

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
  'request.misdirected',
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

/** Clients of the protocols expect 400 for every invalid request. */
const statusOf = (code: ProblemCode): number =>
  code === 'request.misdirected' ? problems['request.malformed'].status : problems[code].status

/** Returns the errors of a route, except those that its requests cannot have. */
function errorsOf(hasBody: boolean): Record<string, Json> {
  const possible = codes.filter((code) => hasBody || code !== 'request.too_large')
  return Object.fromEntries(
    [...new Set(possible.map(statusOf))].map((status) => [
      String(status),
      {
        description: `${possible
          .filter((code) => statusOf(code) === status)
          .map((code) => `\`${code}\``)
          .join(', ')}, in the form of the protocol; or the error of the provider`,
        ...(status === problems.rate_limited.status && { headers: rateHeaders }),
        content: parserStatuses.has(status)
          ? problem
          : { 'application/json': { schema: { type: 'object' } } },
      },
    ]),
  )
}

type Place = { readonly path: string; readonly maxBodyBytes: number }

function operationOf({ label }: GatewayProtocol, route: GatewayRoute, { path, maxBodyBytes }: Place): Json {
  const { method, operation, summary } = route
  const hasBody = method === 'POST'
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
    ...(hasBody && {
      requestBody: {
        description: `At most ${sizeText(maxBodyBytes)} (\`GATEWAY_BODY_MB\`)`,
        required: true,
        content: { 'application/json': { schema: { type: 'object' } } },
      },
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
      ...errorsOf(hasBody),
    },
  }
}

/** Returns the routes of the gateway under every base. `maxBodyBytes`: the maximum size of a request body. */
export function gatewayPathsOf(maxBodyBytes: number): Readonly<Record<string, Json>> {
  const paths: Record<string, Json> = {}
  for (const protocol of Object.values(gatewayProtocols) as readonly GatewayProtocol[])
    for (const base of gatewayBases(protocol))
      for (const route of protocol.routes) {
        const path = `${base}${route.path}`
        const operation = operationOf(protocol, route, { path, maxBodyBytes })
        paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
      }
  return paths
}
