import { z } from 'zod'
import { type ProblemCode, problems } from '../../../contract/common/problem.ts'
import { Health, Readiness } from '../../../contract/system/health.ts'

export const systemTag = 'System'

/** Errors of the HTTP parser. They come before routing, so every path can return them. */
export const parserCodes = [
  'request.malformed',
  'request.timeout',
  'request.uri_too_long',
  'request.headers_too_large',
] as const satisfies readonly ProblemCode[]

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
/** Errors of every path outside /api. */
const always = Object.fromEntries(
  ([...parserCodes, 'request.misdirected'] as const).map((code) => [
    String(problems[code].status),
    problem(`\`${code}\``),
  ]),
)
const string = { type: 'string' }

const replyOf = (type: z.ZodType) => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: 'output', target: 'draft-2020-12' })
  return (description: string, example: unknown) => ({
    description,
    content: { 'application/json': { schema, example } },
  })
}
const health = replyOf(Health)
const readiness = replyOf(Readiness)

/** The routes outside /api that programs call. */
export const systemPaths = {
  '/health': {
    get: {
      operationId: 'getHealth',
      tags: [systemTag],
      summary: 'Check the health of the service',
      security: [],
      responses: {
        '200': health('The service handles requests; `reason` states what it rejects, if anything', {
          ok: true,
          status: 'ok',
          version: '0.1.0',
        }),
        ...always,
        '503': health('The store is not available', {
          ok: false,
          status: 'store_unavailable',
          version: '0.1.0',
        }),
      },
    },
  },
  '/ready': {
    get: {
      operationId: 'getReadiness',
      tags: [systemTag],
      summary: 'Check whether the service can handle requests',
      description: 'For load balancers: it reads from the store.',
      security: [],
      responses: {
        '200': readiness('The store responds', { ready: true }),
        ...always,
        '503': readiness('The store does not respond', {
          ready: false,
          reason: 'The database does not answer. The service continues when it does.',
        }),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: [systemTag],
      summary: 'Get metrics for Prometheus',
      description: 'Available without a token on this machine; other callers need an admin token.',
      security: [{}, { bearer: [] }],
      responses: {
        '200': {
          description: 'The Prometheus text format',
          content: { 'text/plain': { schema: string, example: 'promptdeck_live_clients 3\n' } },
        },
        '401': problem('`auth.required`, `auth.invalid_token`'),
        '403': problem('`auth.forbidden`'),
        ...always,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getOpenApi',
      tags: [systemTag],
      summary: 'Get this document',
      security: [],
      responses: {
        '200': {
          description: 'OpenAPI 3.1',
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        ...always,
      },
    },
  },
} as const
