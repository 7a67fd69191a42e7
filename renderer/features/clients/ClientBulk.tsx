import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { client as api, invalidateEntities } from '../../lib/service/api.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { BulkDialog } from '../../ui/bulk/BulkDialog.tsx'
import { reasonForAll } from '../../ui/bulk/useBulk.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { type ClientRow, isDisconnected } from './clientRow.ts'
import { useDisconnectReason } from './useDisconnect.tsx'

type Props = {
  readonly clients: readonly ClientRow[]
  /** The id of this console's own connection. */
  readonly ownId: string | null
  /** Receives the ids that have not succeeded. */
  readonly onDone: (left: ReadonlySet<string>) => void
}

/** The bulk actions for selected clients. */
export function ClientBulk({ clients, ownId, onDone }: Props) {
  const queries = useQueryClient()
  const disabledReasonOf = useDisconnectReason()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const skipReason = (client: ClientRow) =>
    isDisconnected(client) ? t('clients:disconnect.already') : disabledReasonOf(client)
  const connected = clients.filter((client) => !isDisconnected(client))
  const included = connected.filter((client) => disabledReasonOf(client) === null)
  const ordered = clients.toSorted((a, b) => Number(a.id === ownId) - Number(b.id === ownId))
  return (
    <>
      <WhyDisabled
        reason={
          connected.length === 0 ? t('clients:bulk.nothing') : reasonForAll(connected.map(disabledReasonOf))
        }
      >
        <Button variant="default" size="compact-sm" c="var(--pd-bad)" onClick={() => setDialogOpen(true)}>
          {t('clients:disconnect.action')}
        </Button>
      </WhyDisabled>
      {isDialogOpen && (
        <BulkDialog
          title={t('clients:bulk.title', { count: included.length })}
          body={
            <>
              {t('clients:bulk.body')}
              {included.some((client) => client.id === ownId) && <p>{t('clients:disconnect.self')}</p>}
            </>
          }
          action={t('clients:disconnect.action')}
          isDangerous
          items={ordered.map((client) => ({
            id: client.id,
            name: `${client.app} · ${client.remote_addr}`,
            skip: skipReason(client) ?? undefined,
          }))}
          run={(id) => api.clients.disconnect({ params: { id } })}
          onSettled={() => invalidateEntities(queries, 'client', 'audit')}
          onAllDone={(count) => toast(t('clients:bulk.done', { count }))}
          onClose={(left) => {
            setDialogOpen(false)
            if (left !== null) onDone(left)
          }}
        />
      )}
    </>
  )
}
