import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { BulkDialog } from '../../../ui/bulk/BulkDialog.tsx'
import { reasonForAll } from '../../../ui/bulk/useBulk.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import { useWorkspaceSuffix } from '../../workspaces/useWorkspaceSuffix.ts'
import { callsOf, refreshDefinitions } from '../definition.ts'
import type { DefinitionActions, Subject } from './useDefinitionActions.tsx'

type Props = {
  readonly rows: readonly Subject[]
  readonly actions: DefinitionActions
  /** Receives the ids that have not succeeded. */
  readonly onDone: (left: ReadonlySet<string>) => void
}

/** Actions for several selected agents or workflows. */
export function DefinitionBulk({ rows, actions: { kind, removeDisabledReason }, onDone }: Props) {
  const queries = useQueryClient()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const suffixOf = useWorkspaceSuffix(rows)
  const reasons = rows.map(removeDisabledReason)
  const count = reasons.filter((reason) => reason === null).length
  return (
    <>
      <WhyDisabled reason={reasonForAll(reasons)}>
        <Button variant="default" size="compact-sm" c="var(--pd-bad)" onClick={() => setDialogOpen(true)}>
          {t('definition:delete.menu')}
        </Button>
      </WhyDisabled>
      {isDialogOpen && (
        <BulkDialog
          title={t(`definition:${kind}.bulk_title`, { count })}
          body={t(`definition:${kind}.bulk_body`)}
          action={t('definition:delete.action')}
          isDangerous
          requiredText={t(`definition:${kind}.bulk_typed`, { count })}
          items={rows.map((row) => ({
            id: row.id,
            name: row.key + suffixOf(row),
            skip: removeDisabledReason(row) ?? undefined,
          }))}
          run={(id) => callsOf(kind).remove({ params: { id } })}
          onSettled={() => refreshDefinitions(queries, kind)}
          onAllDone={(count) => toast(t(`definition:${kind}.bulk_done`, { count }))}
          onClose={(left) => {
            setDialogOpen(false)
            if (left !== null) onDone(left)
          }}
        />
      )}
    </>
  )
}
