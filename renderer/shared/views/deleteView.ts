import type { QueryClient } from '@tanstack/react-query'
import type { SavedView } from '../../../contract/system/views.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'

/** Deletes a view after confirmation. Resolves to false if the user cancelled. */
export async function deleteView(queries: QueryClient, { id, name, shared }: SavedView): Promise<boolean> {
  const isDeleted = await confirm({
    title: t('views:confirm.title', { name }),
    body: t(shared ? 'views:confirm.shared' : 'views:confirm.own'),
    action: t('views:confirm.action'),
    isDangerous: true,
    run: () => client.views.remove({ params: { id } }),
  })
  if (!isDeleted) return false
  await queries.invalidateQueries({ queryKey: ['view'] })
  toast(t('views:deleted', { name }))
  return true
}
