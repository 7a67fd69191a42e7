import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Client } from '../../../contract/live/clients.ts'
import { everyNamespace } from '../../../contract/live/frames.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { client as api, invalidateEntities } from '../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { type DisabledReason, useDisabledReason } from '../../lib/session/me.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'

/** Returns a function that returns the reason why the user may not disconnect a client of a workspace. */
export function useDisconnectReason(): (client: Pick<Client, 'workspace'>) => DisabledReason {
  const disabledReasonOf = useDisabledReason()
  const workspaces = useQuery(workspaceChoicesQuery).data
  return ({ workspace }) =>
    disabledReasonOf(
      'clients.disconnect',
      workspaces?.find(({ slug }) => slug === workspace)?.id ?? workspace,
    )
}

/**
 * Returns a function that closes a client's connection after a confirmation, and one that returns the reason why it is
 * not allowed.
 */
export function useDisconnect(ownId: string | null) {
  const queries = useQueryClient()
  const disabledReasonOf = useDisconnectReason()

  const disconnect = (client: Client): Promise<boolean> =>
    confirm({
      title: t('clients:disconnect.title', { app: client.app }),
      body: (
        <>
          {tNode('clients:disconnect.body', {
            app: <b>{client.app}</b>,
            type: t(`clients:type.${client.client_type}`),
            address: <span className="mono">{client.remote_addr}</span>,
          })}
          {client.id === ownId ? (
            <p>{t('clients:disconnect.self')}</p>
          ) : (
            client.namespace === everyNamespace && (
              <p>{tNode('clients:disconnect.console', { user: <b>{client.username}</b> })}</p>
            )
          )}
        </>
      ),
      action: t('clients:disconnect.action'),
      isDangerous: true,
      run: async () => {
        await api.clients.disconnect({ params: { id: client.id } })
        await invalidateEntities(queries, 'client', 'audit')
        toast(t('clients:disconnect.done', { app: client.app }))
      },
    })

  return { disconnect, disabledReasonOf }
}
