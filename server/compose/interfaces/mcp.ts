import type { KeyObject } from 'node:crypto'
import { ListWorkspacesQuery } from '../../../contract/system/workspaces.ts'
import type { Config } from '../../config.ts'
import type { WorkspacesService } from '../../features/workspaces/workspaces.service.ts'
import type { PermissionOverrides } from '../../http/access.ts'
import type { Route } from '../../http/route.ts'
import type { Context } from '../../lib/context.ts'
import { addressedOf, isInAudience } from '../../live/frames/audience.ts'
import { createChanges } from '../../mcp/changes.ts'
import { createHandlers } from '../../mcp/handlers.ts'
import { mcpRoutes } from '../../mcp/mcp.routes.ts'
import { createOpenExchanges } from '../../mcp/open-exchanges.ts'
import { createOperations } from '../../mcp/operations.ts'
import type { PlaceWorkspace } from '../../mcp/prompts/places.ts'
import { createSessions } from '../../mcp/sessions.ts'
import { findVisibleWorkspace } from '../../resources/required-workspace.ts'
import type { ComposeDeps } from '../deps.ts'
import type { Foundation } from '../foundation/foundation.ts'

/** Creates the MCP interface to the routes of the API. */
export function composeMcp(
  { limits }: Config,
  { logger }: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'bus'> & {
    /** All routes of the API. */
    readonly routes: readonly Route[]
    readonly overrides: PermissionOverrides
    readonly workspaces: Pick<WorkspacesService, 'list'>
    readonly sessionKey: KeyObject
  },
) {
  const { db, bus, routes, overrides, workspaces, sessionKey } = parts

  /** Returns all visible workspaces by name, read in pages. */
  const listed = async (ctx: Context): Promise<readonly PlaceWorkspace[]> => {
    const all: PlaceWorkspace[] = []
    let cursor: string | null = null
    do {
      const query = ListWorkspacesQuery.parse({
        limit: '200',
        sort: 'name',
        ...(cursor !== null && { cursor }),
      })
      const page = await workspaces.list(ctx, query)
      all.push(...page.data.map(({ id, slug }) => ({ id, slug })))
      cursor = page.next_cursor
    } while (cursor !== null)
    return all
  }

  const visibleWorkspaces = async (ctx: Context, named?: string): Promise<readonly PlaceWorkspace[]> => {
    const only = ctx.actor.limits?.workspaceId ?? null
    if (only === null && named === undefined) return listed(ctx)
    const found = await findVisibleWorkspace(db.read, ctx.scope, only ?? named ?? '')
    if (found === undefined) return []
    return named === undefined || [found.id, found.slug].includes(named) ? [found] : []
  }

  const exchanges = createOpenExchanges({
    perPrincipal: limits.eventStreamsPerPrincipal,
    total: limits.liveConnections,
  })
  return {
    routes: mcpRoutes({
      sessions: createSessions(sessionKey),
      exchanges,
      handlers: createHandlers({
        operations: createOperations({ routes, overrides, db }),
        visibleWorkspaces,
      }),
      visibleWorkspaces,
      onError: (err, requestId) => logger.error({ err, requestId }, 'an MCP request failed'),
      changes: createChanges({
        bus,
        visibleWorkspaces,
        isInAudience: (identity, announcement) =>
          announcement.kind === 'frame' &&
          isInAudience(
            { namespace: announcement.namespace ?? '', workspaceId: null, identity },
            addressedOf(announcement),
            overrides,
          ),
      }),
    }),
    /** Ends the open requests and streams. */
    close: async () => exchanges.endAll(),
  }
}
