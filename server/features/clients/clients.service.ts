import type { z } from 'zod'
import type { ClientSummaryQuery, ListClientsQuery } from '../../../contract/live/clients.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { requireRoleIn } from '../../lib/scope.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import { matchingClients, pageOf, visibleClients, workspaceNames } from './clients.read.ts'
import { type ServedVersions, withConvergence } from './convergence.ts'
import { isInState, summaryOf } from './summary.ts'

export type ClientsServiceDeps = {
  readonly db: Db
  readonly history: History
  readonly hub: {
    clients(options: { readonly includeDisconnected: boolean }): ConnectedClient[]
    disconnect(id: string): boolean
  }
  readonly servedVersions: ServedVersions
}

export function createClientsService({ db, history, hub, servedVersions }: ClientsServiceDeps) {
  const visible = (ctx: Context, includeDisconnected: boolean) =>
    visibleClients(ctx, hub.clients({ includeDisconnected }))
  const matching = async (ctx: Context, query: z.output<typeof ClientSummaryQuery>) => {
    const workspaces = query.workspace && (await workspaceNames(db.read, ctx.scope, query.workspace))
    return matchingClients(visible(ctx, query.include === 'gone'), query, workspaces)
  }
  return {
    async list(ctx: Context, query: z.output<typeof ListClientsQuery>) {
      const found = await matching(ctx, query)
      const { state } = query
      if (state === undefined) {
        const page = pageOf(found, query)
        return { ...page, data: await withConvergence(page.data, servedVersions) }
      }
      const compared = await withConvergence(found, servedVersions)
      return pageOf(
        compared.filter((client) => isInState(client, state)),
        query,
      )
    },
    summary: async (ctx: Context, query: z.output<typeof ClientSummaryQuery>) =>
      summaryOf(await withConvergence(await matching(ctx, query), servedVersions)),

    /**
     * Disconnects a client. The audit entry is written first, so that it exists even if the socket fails to
     * close.
     */
    async disconnect(ctx: Context, id: string): Promise<{ ok: true }> {
      const client = visible(ctx, false).find((each) => each.id === id)
      if (client === undefined) throw fail('not_found', { detail: 'Client not found.' })
      requireRoleIn(ctx.scope, client.workspaceId, ctx.scope.required)
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'disconnect',
            resource: 'client',
            resourceId: id,
            workspaceId: client.workspaceId,
            key: client.app,
            summary: `Disconnected ${client.app} (${client.client_type}, ${client.namespace}) at ${client.remote_addr}`,
            before: {
              client_type: client.client_type,
              namespace: client.namespace,
              workspace: client.workspace,
              username: client.username,
              remote_addr: client.remote_addr,
              connected_at: client.connected_at,
            },
          }),
        { evenWhenFull: true },
      )
      hub.disconnect(id)
      return { ok: true }
    },
  }
}

export type ClientsService = ReturnType<typeof createClientsService>
