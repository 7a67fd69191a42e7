import { Button, Stack } from '@mantine/core'
import type { AuditDetail } from '../../../contract/system/audit.ts'
import { t } from '../../lib/i18n.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { Diff } from '../../ui/diff/Diff.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { type Restoration, restorationOf } from './restoration.ts'

/** Reverses the change of an entry after a confirmation. Empty if it cannot be reversed by this user. */
export function RestoreButton({ entry }: { readonly entry: AuditDetail }) {
  const disabledReasonOf = useDisabledReason()
  const restoration = restorationOf(entry)
  if (restoration === null || disabledReasonOf(restoration.permission, entry.workspace_id) !== null)
    return null
  const names = { resource: t(`audit:resource.${entry.resource}`), key: entry.key ?? '' }
  const restore = async (): Promise<void> => {
    const isRestored = await confirm({
      title: t('audit:restore.title', names),
      body: <Consequence entry={entry} restoration={restoration} />,
      action: t(`audit:restore.action.${restoration.kind}`, {
        version: String(restoration.values['version']),
      }),
      run: restoration.run,
    })
    if (isRestored) toast(t('audit:restore.done', names))
  }
  return (
    <Button variant="default" onClick={() => void restore()}>
      {t('audit:restore.open')}
    </Button>
  )
}

function Consequence({
  entry: { after },
  restoration: { kind, values },
}: {
  readonly entry: AuditDetail
  readonly restoration: Restoration
}) {
  if (kind !== 'values') return t(`audit:restore.consequence.${kind}`, { version: String(values['version']) })
  const replaced = Object.fromEntries(Object.keys(values).map((name) => [name, after?.[name] ?? null]))
  return (
    <Stack gap="sm">
      {t('audit:restore.consequence.values')}
      <Diff before={replaced} after={values} empty="" />
    </Stack>
  )
}
