import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { sampleDataQuery } from '../../lib/service/sampleData.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { toast } from '../../ui/feedback/toast.ts'

const changed = ['workspace', 'prompt', 'agent', 'workflow', 'run', 'audit']

/** Creates the sample data, or after a confirmation deletes all of it, with the changes that were made to it. */
export function SampleDataButton() {
  const queries = useQueryClient()
  const { data } = useQuery(sampleDataQuery)
  const refresh = () => invalidateEntities(queries, ...changed)
  const create = useFormMutation({
    mutationFn: () => client.sampleData.create({}),
    onSuccess: async () => {
      await refresh()
      toast(t('common:sample.created'))
    },
  })
  const remove = (): Promise<boolean> =>
    confirm({
      title: t('common:sample.remove_title'),
      body: t('common:sample.remove_body'),
      action: t('common:sample.remove'),
      isDangerous: true,
      run: async () => {
        await client.sampleData.remove({})
        await refresh()
        toast(t('common:sample.removed'))
      },
    })
  if (data === undefined) return null
  return (
    <>
      {data.present ? (
        <Button variant="default" size="compact-xs" onClick={() => void remove()}>
          {t('common:sample.remove')}
        </Button>
      ) : (
        <Button
          variant="default"
          size="compact-xs"
          loading={create.isPending}
          onClick={() => create.mutate()}
        >
          {t('common:sample.create')}
        </Button>
      )}
      {create.error !== null && <FormFailure error={create.error} />}
    </>
  )
}
