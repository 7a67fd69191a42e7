import { api } from '../../contract/index.ts'
import { type McpQuery, mcpSessionHeader } from '../../contract/system/mcp.ts'
import { type RawRequest, type Route, rawRoute } from '../http/route.ts'
import { principalOf } from '../lib/context.ts'
import { fail } from '../lib/fail.ts'
import type { Caller } from './caller.ts'
import type { Changes } from './changes.ts'
import type { Handlers } from './handlers.ts'
import type { OpenExchanges, RequestId } from './open-exchanges.ts'
import { type VisibleWorkspaces, workspacesOf } from './prompts/places.ts'
import type { Session, Sessions } from './sessions.ts'

export type McpDeps = {
  readonly sessions: Sessions
  readonly exchanges: OpenExchanges
  readonly handlers: Handlers
  readonly changes: Changes
  readonly visibleWorkspaces: VisibleWorkspaces
  readonly onError: (error: unknown, requestId: string) => void
}

/** The members of a JSON-RPC message that the routes use. The schema of the endpoint has accepted it. */
type Message = { readonly id?: RequestId; readonly method?: string; readonly params?: unknown }

/** Loads the SDK with the first request, because it would delay the start. */
const loadProtocol = () => import('./protocol/exchange.ts')

/** The routes of the Model Context Protocol. */
export function mcpRoutes(deps: McpDeps): Route[] {
  const { sessions, exchanges } = deps

  const sessionOf = ({ ctx, req }: RawRequest): Session =>
    sessions.read(principalOf(ctx.actor), req.headers[mcpSessionHeader.toLowerCase()])

  const send = async (request: RawRequest): Promise<void> => {
    const message = request.body as Message
    const isInitialize = message.method === 'initialize'
    const session = isInitialize
      ? sessions.issue(principalOf(request.ctx.actor), message)
      : sessionOf(request)
    const cancelled = cancelledId(message)
    if (cancelled !== null) {
      exchanges.cancel(session.id, cancelled)
      request.res.writeHead(202).end()
      return
    }
    const requestId = message.id ?? null
    await run(request, session, requestId, async (caller, signal) => {
      // The client can then report a wrong address, before the first list.
      if (isInitialize && caller.place.workspace !== undefined)
        await workspacesOf(caller, deps.visibleWorkspaces)
      const { reply } = await loadProtocol()
      await reply({
        request,
        caller,
        signal,
        handlers: deps.handlers,
        onError: deps.onError,
        newSessionId: isInitialize ? session.id : null,
      })
    })
  }

  const listen = async (request: RawRequest): Promise<void> => {
    if (request.req.method !== 'GET') throw fail('method_not_allowed', { allow: ['GET', 'POST'] })
    const session = sessionOf(request)
    await run(request, session, null, async (caller, signal) => {
      const { notify } = await loadProtocol()
      const { handlers, changes, onError } = deps
      const listenTo = (onChange: () => void) => changes.listen(caller, onChange)
      await notify({ request, caller, signal, handlers, onError, listen: listenTo })
    })
  }

  /** Runs an exchange until it ends, the client leaves or cancels it, or the caller's access ends. */
  const run = async (
    request: RawRequest,
    { id: sessionId, client }: Session,
    requestId: RequestId | null,
    work: (caller: Caller, signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    const { ctx, identity, res, query } = request
    const controller = new AbortController()
    const end = () => controller.abort()
    const exit = exchanges.enter({ principal: principalOf(ctx.actor), sessionId, requestId }, end)
    const unwatch = request.watchAccess(end)
    res.once('close', end)
    try {
      const { signal } = controller
      await work({ identity, ctx: { ...ctx, mcpClient: client }, place: query as McpQuery, signal }, signal)
    } finally {
      unwatch()
      exit()
    }
  }

  return [rawRoute(api.mcp.send, send), rawRoute(api.mcp.listen, listen)]
}

/** Returns the id of the request that a message cancels; null for other messages. */
function cancelledId({ id, method, params }: Message): RequestId | null {
  if (id !== undefined || method !== 'notifications/cancelled') return null
  if (typeof params !== 'object' || params === null || !('requestId' in params)) return null
  const { requestId } = params
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null
}
