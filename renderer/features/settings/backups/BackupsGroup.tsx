import { Button } from '@mantine/core'
import { IconArchive } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { useFormMutation } from '../../../lib/service/useFormMutation.ts'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { SettingsGroup } from '../SettingsGroup.tsx'
import styles from '../settings.module.css'
import { backupsQuery } from '../settings.queries.ts'
import { BackupTable } from './BackupTable.tsx'
import { RestoreSteps } from './RestoreSteps.tsx'

/** Backups of the database: create, download and delete. Restoring requires a shell. */
export function BackupsGroup() {
  const queries = useQueryClient()
  const query = useQuery(backupsQuery)
  const creating = useFormMutation({
    mutationFn: () => client.backups.create({}),
    onSuccess: async () => {
      await invalidateEntities(queries, 'backup', 'audit')
      toast(t('settings:backups.create_done'))
    },
  })
  return (
    <SettingsGroup
      id="backups"
      title={t('settings:backups.title')}
      purpose={t('settings:backups.purpose')}
      aside={
        <Button
          variant="default"
          leftSection={<IconArchive size={14} />}
          loading={creating.isPending}
          onClick={() => creating.mutate()}
        >
          {t('settings:backups.create')}
        </Button>
      }
    >
      {creating.error !== null && <FormFailure error={creating.error} />}
      {query.data === undefined ? (
        <QueryPending query={query} height={64} />
      ) : query.data.length === 0 ? (
        <p className={styles['note']}>{t('settings:backups.none')}</p>
      ) : (
        <BackupTable backups={query.data} />
      )}
      <RestoreSteps newest={query.data?.[0]} />
    </SettingsGroup>
  )
}
