import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Alert } from '../../../../contract/alerts/alert.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { asApiError, client, invalidateEntities } from '../../../lib/service/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { toast } from '../../../ui/feedback/toast.ts'

export function useAlertActions(alert: Alert) {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const { id, name } = alert
  const refresh = (): Promise<unknown> => invalidateEntities(queries, 'alert', 'audit')

  /** Shows the result, or the reason of a failure, in a dialog that stays until it is read. */
  const showResult = (text: string): Promise<boolean> =>
    confirm({ title: t('alerts:drawer.test'), body: text, action: t('common:close') })

  return {
    isBusy,
    async setEnabled(enabled: boolean): Promise<void> {
      try {
        await client.alerts.update({ params: { id }, body: { enabled } })
        await refresh()
        toast(t(enabled ? 'alerts:drawer.enabled' : 'alerts:drawer.disabled', { name }))
      } catch (error) {
        await showResult(asApiError(error)?.message ?? t('common:error.unknown'))
      }
    },
    async test(): Promise<void> {
      setBusy(true)
      try {
        const { data } = await client.alerts.test({ params: { id } })
        if (data.ok) toast(data.message)
        else await showResult(data.message)
      } catch (error) {
        await showResult(asApiError(error)?.message ?? t('alerts:drawer.test_failed'))
      } finally {
        setBusy(false)
      }
    },
    remove: (): Promise<boolean> =>
      confirm({
        title: t('alerts:delete.title', { name }),
        body: tNode('alerts:delete.body', { name: <b>{name}</b> }),
        action: t('alerts:delete.action'),
        isDangerous: true,
        run: async () => {
          await client.alerts.remove({ params: { id } })
          await refresh()
          toast(t('alerts:delete.done', { name }))
        },
      }),
  }
}
