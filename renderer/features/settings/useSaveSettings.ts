import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { UpdateSettingsBody } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { settingsQuery } from '../../shared/settings/settings.ts'
import { toast } from '../../ui/feedback/toast.ts'

type Options = { readonly group: string; readonly onSaved: () => void }

/** Saves the settings of one group; the page then displays the settings from the reply. */
export function useSaveSettings({ group, onSaved }: Options) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: z.input<typeof UpdateSettingsBody>) => client.settings.update({ body }),
    onSuccess: ({ data }) => {
      queries.setQueryData(settingsQuery.queryKey, data)
      onSaved()
      void invalidateEntities(queries, 'audit', 'me', 'user')
      toast(t('settings:saved', { group }))
    },
  })
}
