import type { GenerateRequest } from '../../../server/models/model.ts'
import type { Plan } from '../../support/model-server/plan.ts'
import { key } from './models-support.ts'

/** Expected result of each failure. `tries`: number of requests to the provider. */
export const failures: readonly {
  readonly name: string
  readonly plan: Plan
  readonly type: string
  readonly status?: number
  readonly tries?: number
  readonly message?: string
  /** Text that arrived before the failure. */
  readonly text?: string
  readonly params?: GenerateRequest['params']
}[] = [
  {
    name: 'a bad request',
    plan: { status: 400, message: 'No such model' },
    type: 'bad_request',
    status: 400,
    message: 'No such model',
  },
  {
    name: 'an unknown path',
    plan: { status: 404, body: 'not here' },
    type: 'bad_request',
    status: 404,
    message: 'The provider returned status 404. Check the address',
  },
  {
    name: 'a body it cannot process',
    plan: { status: 422, body: '{"detail":[{"loc":["body"],"msg":"Field required"}]}' },
    type: 'bad_request',
    status: 422,
    message: 'Field required',
  },
  {
    name: 'a rejected key',
    plan: { status: 401, message: `Incorrect API key provided: ${key}.` },
    type: 'unauthorized',
    status: 401,
    message: 'Incorrect API key provided: [key].',
  },
  {
    name: 'a key without permission',
    plan: { status: 403, message: 'sk-te********ghij may not use this model' },
    type: 'unauthorized',
    status: 403,
    message: '[key] may not use this model',
  },
  {
    name: 'permanent rate limiting',
    plan: { status: 429, message: 'Slow down' },
    type: 'rate_limited',
    status: 429,
    tries: 3,
    message: 'Slow down',
  },
  {
    name: 'rate limiting for longer than the maximum wait',
    plan: { status: 429, message: 'Come back later', headers: { 'retry-after': '21' } },
    type: 'rate_limited',
    status: 429,
    message: 'Come back later',
  },
  {
    name: 'a permanent internal error',
    plan: { status: 500, message: 'Oh no' },
    type: 'provider_error',
    status: 500,
    tries: 3,
    message: 'Oh no',
  },
  {
    name: 'an HTML page of a proxy',
    plan: { status: 502, body: '<html><h1>Bad gateway</h1></html>' },
    type: 'provider_error',
    status: 502,
    tries: 3,
    message: 'The provider returned status 502',
  },
  { name: 'an HTML page instead of a stream', plan: { fault: 'page' }, type: 'malformed' },
  {
    name: 'a closed connection before the reply',
    plan: { fault: 'reset' },
    type: 'unreachable',
    tries: 3,
    message: 'The connection was lost',
  },
  { name: 'a first frame that is not JSON', plan: { fault: 'garbled' }, type: 'malformed' },
  { name: 'a frame that is not JSON', plan: { fault: 'malformed' }, type: 'malformed', text: 'You ' },
  {
    name: 'an error in the stream',
    plan: { fault: 'error', message: 'Overloaded' },
    type: 'provider_error',
    text: 'You ',
    message: 'Overloaded',
  },
  {
    name: 'a stalled stream',
    plan: { fault: 'stall' },
    type: 'stalled',
    text: 'You ',
    message: 'The response stalled for 0.25 s',
  },
  {
    name: 'a connection lost during the stream',
    plan: { fault: 'drop' },
    type: 'unreachable',
    text: 'You ',
    message: 'The connection was lost',
  },
  {
    name: 'a stream that ends in the middle',
    plan: { fault: 'truncated' },
    type: 'malformed',
    text: 'You ',
  },
  {
    name: 'no reply at all',
    plan: { fault: 'silent' },
    params: { timeout_ms: 300 },
    type: 'timeout',
    message: 'No complete response within 0.3 s',
  },
]
