import { Button, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../contract/client.ts'
import { api } from '../../../../contract/index.ts'
import type { Backup } from '../../../../contract/system/backups.ts'
import { formatBytes } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { saveFile } from '../../../lib/service/download.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { SmallTable } from '../../../ui/list/SmallTable.tsx'

/** Returns the file name under which the service sends a backup. */
export const fileOf = ({ id }: Pick<Backup, 'id'>): string => `promptdeck-${id}.sqlite`

export function BackupTable({ backups }: { readonly backups: readonly Backup[] }) {
  const queries = useQueryClient()
  const saving = useMutation({
    mutationFn: async (backup: Backup) => {
      const reply = await client.download(api.backups.download, { params: { id: backup.id } })
      const file = await reply.blob().catch((cause: unknown) => {
        throw new ApiError(0, t('common:error.interrupted'), null, { cause })
      })
      saveFile(fileOf(backup), [file], file.type)
    },
  })
  const remove = (backup: Backup): Promise<boolean> =>
    confirm({
      title: t('settings:backups.delete_title'),
      body: t('settings:backups.delete_body', { id: backup.id }),
      action: t('settings:backups.delete'),
      isDangerous: true,
      run: async () => {
        await client.backups.remove({ params: { id: backup.id } })
        await invalidateEntities(queries, 'backup', 'audit')
        toast(t('settings:backups.deleted'))
      },
    })
  return (
    <>
      <SmallTable label={t('settings:backups.title')} frameLabel={t('settings:backups.table')} isLimited>
        <thead>
          <tr>
            <th scope="col">{t('settings:backups.created')}</th>
            <th scope="col" data-number>
              {t('settings:backups.size')}
            </th>
            <th scope="col">{t('settings:backups.state')}</th>
            <th scope="col">
              <VisuallyHidden>{t('settings:actions')}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {backups.map((backup) => (
            <tr key={backup.id}>
              <td>
                <Time at={backup.created_at} />
              </td>
              <td data-number>{formatBytes(backup.size_bytes)}</td>
              <td>
                <VerifiedIcon isVerified={backup.verified} />
              </td>
              <td data-tools>
                <Button
                  variant="default"
                  size="compact-xs"
                  aria-label={t('settings:backups.download_named', { id: backup.id })}
                  loading={saving.isPending && saving.variables.id === backup.id}
                  onClick={() => saving.mutate(backup)}
                >
                  {t('settings:backups.download')}
                </Button>
                <Button
                  variant="default"
                  size="compact-xs"
                  c="var(--pd-bad)"
                  aria-label={t('settings:backups.delete_named', { id: backup.id })}
                  onClick={() => void remove(backup)}
                >
                  {t('settings:backups.delete')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
      {saving.error !== null && <FormFailure error={saving.error} />}
    </>
  )
}

function VerifiedIcon({ isVerified }: { readonly isVerified: boolean }) {
  const Icon = isVerified ? IconCheck : IconAlertTriangle
  const state = isVerified ? 'verified' : 'unverified'
  return (
    <Tooltip label={t(`settings:backups.${state}_help`)}>
      <span>
        <Badge tone={isVerified ? 'ok' : 'warn'} icon={<Icon size={13} />}>
          {t(`settings:backups.${state}`)}
        </Badge>
      </span>
    </Tooltip>
  )
}
