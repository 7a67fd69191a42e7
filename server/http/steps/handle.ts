import { principalOf } from '../../lib/context.ts'
import { invalid } from '../../lib/fail.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import type { StreamLimit } from '../limits/stream-limit.ts'
import { etagOf } from '../reply/etag.ts'
import { abortOnDisconnect } from '../reply/event-stream.ts'
import { replyJson } from '../reply/reply-json.ts'
import type { Yield } from '../reply/yield.ts'
import type { JsonRoute, Route } from '../route.ts'
import { type Result, requireStep, type Step, type StepRequest, type StepResponse } from './request-state.ts'

export type HandleDeps = {
  readonly idempotency: Idempotency
  readonly streamLimit: StreamLimit
  readonly yieldWrite: Yield
}

/** Creates the step that calls the handler of a route. */
export function createHandle(deps: HandleDeps) {
  const run = async (route: Route, req: StepRequest, res: StepResponse): Promise<Result> => {
    const { context, identity } = requireStep(res.locals.caller, 'authenticate')
    const { input, body } = requireStep(res.locals.valid, 'validate')
    if (route.kind === 'raw') {
      const request = { ctx: context, identity: requireStep(identity, 'authenticate'), body, req, res }
      const { query } = input
      return { kind: 'raw', write: (watchAccess) => route.handle({ ...request, query, watchAccess }) }
    }
    if (route.kind === 'file') return { kind: 'download', download: await route.handle(context, input) }
    if (route.kind === 'preserialized')
      return { kind: 'json', status: 200, ...(await route.handle(context, input)) }
    if (route.kind === 'json') return runOnce(deps, route, req, res, () => route.handle(context, input), null)
    await deps.yieldWrite()
    if (!requestsEvents(input.body)) {
      const { signal } = abortOnDisconnect(res)
      return runOnce(deps, route, req, res, () => route.handle(context, input, signal), signal)
    }
    if (req.headers['idempotency-key'] !== undefined)
      throw invalid('Idempotency-Key', 'Event streams cannot be repeated: omit this header or `stream`')
    const releaseSlot = deps.streamLimit.enter(principalOf(context.actor))
    return { kind: 'events', start: (signal) => route.handle(context, input, signal), releaseSlot }
  }

  return (route: Route): Step =>
    async (req, res, next) => {
      res.locals.result = await run(route, req, res)
      next()
    }
}

/** Runs a handler with a JSON reply, once per idempotency key. */
async function runOnce(
  { idempotency }: HandleDeps,
  { endpoint, jsonOf = (reply) => replyJson(endpoint, reply) }: JsonRoute,
  req: StepRequest,
  res: StepResponse,
  work: () => Promise<unknown>,
  left: AbortSignal | null,
): Promise<Result> {
  const { context } = requireStep(res.locals.caller, 'authenticate')
  const { body } = requireStep(res.locals.valid, 'validate')
  const { idempotent, method } = endpoint
  const header = idempotent ? req.headers['idempotency-key'] : undefined
  const key = header === undefined ? header : String(header)
  const name = `${method} ${res.locals.path}`
  const { status, json } = await idempotency.once(
    context,
    { name, key, isPrivate: idempotent === 'private', left },
    body,
    async () => ({
      status: endpoint.status ?? 200,
      json: jsonOf(await work()),
    }),
  )
  return { kind: 'json', status, json, etag: endpoint.etag ? etagOf(json) : null }
}

const requestsEvents = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'stream' in body && body.stream === true
