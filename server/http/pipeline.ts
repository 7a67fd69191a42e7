import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Logger } from 'pino'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { Authenticator, Identity } from '../auth/identity.ts'
import { network } from '../auth/throttle.ts'
import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { type Context, principalOf } from '../lib/context.ts'
import { fail, invalid, Problem } from '../lib/fail.ts'
import { bearerToken, type PermissionOverrides, requireAccess } from './access.ts'
import { abortWhenGone, answerWithEvents } from './answer-events.ts'
import { answerPreflight, corsHeaders } from './cors.ts'
import { etagOf } from './etag.ts'
import type { Guard } from './guard.ts'
import type { Idempotency } from './idempotency.ts'
import { parseInput, readBody } from './input.ts'
import type { RequestMetrics } from './metrics.ts'
import type { OpenStreams } from './open-streams.ts'
import { toProblem } from './problem.ts'
import type { RateLimit } from './rate-limit.ts'
import { type ReplyHead, sendDownload, sendJson, sendProblem, sendTagged } from './reply.ts'
import type { Route } from './route.ts'
import type { StreamLimit } from './stream-limit.ts'
import { createTurns } from './turns.ts'

export type PipelineDeps = {
  readonly routes: readonly Route[]
  readonly db: Db
  readonly authenticator: Authenticator
  readonly overrides: PermissionOverrides
  readonly openStreams: OpenStreams
  readonly guard: Guard
  readonly idempotency: Idempotency
  readonly metrics: RequestMetrics
  readonly clock: Clock
  readonly logger: Logger
  readonly remoteAddress: (req: IncomingMessage) => string
  /** Returns true for addresses without limits: loopback and trusted proxies. */
  readonly isExempt: (address: string) => boolean
  readonly rateLimit: RateLimit
  readonly streamLimit: StreamLimit
}

const anonymous = { kind: 'anonymous', id: null, name: 'anonymous', role: null, sessionId: null } as const
const usableRequestId = /^[\w.-]{1,64}$/

/** Runs the /api request pipeline: guard, authenticate, authorize, validate, handle, reply. */
export function createPipeline(deps: PipelineDeps) {
  const { db, authenticator, guard, clock, logger } = deps
  // Types of the router stay in this function, so that the steps do not depend on the library.
  const router = findMyWay({ ignoreTrailingSlash: false, maxParamLength: 2048 })
  const methodsOf = new Map<string, string[]>()
  const turn = createTurns()
  for (const route of deps.routes) {
    const { method, alias, path } = route.endpoint
    const methods: HTTPMethod[] = [
      method,
      ...(alias ? [alias] : []),
      ...(method === 'GET' ? (['HEAD'] as const) : []),
    ]
    for (const each of methods) router.on(each, path, () => undefined, route)
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), ...methods])
  }

  type Found = ReturnType<typeof router.find>
  const requireRoute = (found: Found, path: string) => {
    if (found) return { route: found.store as Route, params: found.params }
    for (const [pattern, methods] of methodsOf) {
      const [first] = methods
      const other = first && router.find(first as HTTPMethod, path)
      if (other && (other.store as Route).endpoint.path === pattern)
        throw fail('method_not_allowed', { allow: methods })
    }
    throw fail('not_found', { detail: 'There is no such route.' })
  }

  const isPublic = (found: Found) => found !== null && (found.store as Route).endpoint.permission === 'public'

  /** Counts a request without a principal by its address. */
  const countAnonymous = (req: IncomingMessage, headers: Record<string, string>) => {
    const address = deps.remoteAddress(req)
    if (!deps.isExempt(address)) deps.rateLimit.count(`address:${network(address)}`, headers)
  }

  const identify = async (
    req: IncomingMessage,
    found: Found,
    headers: Record<string, string>,
    now: Date,
  ): Promise<Identity | null> => {
    if (isPublic(found)) {
      countAnonymous(req, headers)
      return null
    }
    try {
      const identity = await authenticator.identify(bearerToken(req.headers.authorization), now)
      deps.rateLimit.count(principalOf(identity.actor), headers)
      return identity
    } catch (error) {
      if (error instanceof Problem && error.status === 401) countAnonymous(req, headers)
      throw error
    }
  }

  const answer = async (
    req: IncomingMessage,
    res: ServerResponse,
    head: ReplyHead & { readonly headers: Record<string, string> },
    startedAt: Date,
  ): Promise<string> => {
    const method = req.method ?? 'GET'
    const url = req.url ?? '/'
    const mark = url.indexOf('?')
    const [path, search] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)]
    const refusal = guard.refuse(req.headers)
    if (refusal) throw refusal
    // Authenticate before reporting an unknown route, so that anonymous callers cannot probe which routes
    // exist.
    const found = router.find(method as HTTPMethod, path)
    const generation = deps.openStreams.generation()
    const token = bearerToken(req.headers.authorization)
    const identity = await identify(req, found, head.headers, startedAt)
    const { route, params } = requireRoute(found, path)
    if (identity) requireAccess(route.endpoint, identity, deps.overrides)
    const body = method === 'GET' || method === 'HEAD' ? undefined : await readBody(req)
    const ifMatch = route.endpoint.etag ? (req.headers['if-match'] ?? null) : null
    const parsed = parseInput(route.endpoint, { params, search: new URLSearchParams(search), body })
    const input = { ...parsed, ifMatch }
    const ctx: Context = {
      actor: identity?.actor ?? anonymous,
      requestId: head.requestId,
      ip: deps.remoteAddress(req),
      userAgent: (req.headers['user-agent'] ?? '').slice(0, 512),
      instanceId: instanceOf(req),
      now: startedAt,
    }
    const watch = (endpoint: Endpoint, end: (problem: Problem) => void) =>
      identity === null || token === null
        ? () => undefined
        : deps.openStreams.watch({ endpoint, identity, token, generation }, end)
    if (route.kind === 'file') {
      const download = await route.handle(ctx, input)
      await db.settled()
      const unwatch = watch(route.endpoint, () => res.destroy())
      await sendDownload(res, head, download).finally(unwatch)
      return route.endpoint.path
    }
    if (route.kind === 'sealed') {
      const { etag, json } = await route.handle(ctx, input)
      await db.settled()
      await sendTagged(req, res, head, { status: 200, etag, json })
      return route.endpoint.path
    }
    if (route.kind === 'stream') await turn()
    if (route.kind === 'stream' && asksForEvents(parsed.body)) {
      if (req.headers['idempotency-key'] !== undefined)
        throw invalid('Idempotency-Key', 'Events cannot be given twice: leave out the header or `stream`')
      const leave = deps.streamLimit.enter(principalOf(ctx.actor))
      const handle = (signal: AbortSignal) => route.handle(ctx, input, signal)
      const watchAccess = (end: (problem: Problem) => void) => watch(route.endpoint, end)
      await answerWithEvents({ res, head, path, turn, handle, watchAccess }).finally(leave)
      return route.endpoint.path
    }
    const work = async () => {
      const reply = await (route.kind === 'stream'
        ? route.handle(ctx, input, abortWhenGone(res).signal)
        : route.handle(ctx, input))
      return {
        status: route.endpoint.status ?? 200,
        json: JSON.stringify(route.endpoint.reply.parse(reply)),
      }
    }
    const { idempotent } = route.endpoint
    const given = idempotent ? req.headers['idempotency-key'] : undefined
    const key = given === undefined ? given : String(given)
    const name = `${route.endpoint.method} ${path}`
    const reply = await deps.idempotency.once(
      ctx,
      { name, key, isPrivate: idempotent === 'private' },
      body,
      work,
    )
    // A reply, also to a read, waits until everything it may contain is on disk.
    await db.settled()
    const etag = route.endpoint.etag ? etagOf(reply.json) : null
    if (etag === null) await sendJson(req, res, head, reply.status, reply.json)
    else await sendTagged(req, res, head, { ...reply, etag })
    return route.endpoint.path
  }

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const startedAt = clock.now()
    const begun = performance.now()
    const given = req.headers['x-request-id']
    const requestId = typeof given === 'string' && usableRequestId.test(given) ? given : `req_${randomUUID()}`
    const head = { requestId, headers: corsHeaders(guard, req) }
    let pattern = 'unmatched'
    try {
      if (answerPreflight(guard, req, res, requestId)) return
      pattern = await answer(req, res, head, startedAt)
    } catch (error) {
      const problem = toProblem(error)
      // The run log has the failures of providers. Their cause may contain what was sent, so it is not
      // logged.
      if (problem.code === 'provider.failed') logger.warn({ requestId }, problem.message)
      else if (problem.status >= 500)
        logger.error({ err: problem.extra.cause ?? problem, requestId }, problem.message)
      await sendProblem(req, res, head, problem).catch((err: unknown) =>
        logger.warn({ err, requestId }, 'reply lost'),
      )
    } finally {
      const ms = performance.now() - begun
      deps.metrics.observe(req.method ?? 'GET', pattern, res.statusCode, ms / 1000)
      logger.debug({ requestId, method: req.method, route: pattern, status: res.statusCode, ms }, 'request')
    }
  }
}

const asksForEvents = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'stream' in body && body.stream === true

/** Returns the instance id of the app, or null if the header is missing, empty or repeated. */
function instanceOf(req: IncomingMessage): string | null {
  const given = req.headers['promptdeck-instance']
  return typeof given === 'string' && given !== '' ? given.slice(0, 128) : null
}
