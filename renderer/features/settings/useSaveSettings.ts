import { useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { UpdateSettingsBody } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import type { Unsaved } from '../../shared/editing/useUnsaved.ts'
import { settingsQuery } from '../../shared/settings/settings.ts'
import { toast } from '../../ui/feedback/toast.ts'

/** Saves the settings of one group. The page then displays the settings from the reply, and what was typed since. */
export function useSaveSettings<V>(group: string, unsaved: Unsaved<V>) {
  const queries = useQueryClient()
  const { mutate, isPending, error, reset } = useFormMutation({
    mutationFn: (body: z.input<typeof UpdateSettingsBody>) => client.settings.update({ body }),
    onMutate: () => unsaved.values,
    onSuccess: ({ data }, _body, sent) => {
      queries.setQueryData(settingsQuery.queryKey, data)
      unsaved.removeSaved(sent)
      void invalidateEntities(queries, 'audit', 'me', 'user')
      toast(t('settings:saved', { group }))
    },
  })
  const onReset = (): void => {
    unsaved.reset()
    reset()
  }
  return { mutate, state: { isRestored: unsaved.isRestored, isPending, error, onReset } }
}
