import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { sampleDataQuery } from '../../lib/service/sampleData.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { toast } from '../../ui/feedback/toast.ts'

const changed = ['workspace', 'prompt', 'agent', 'workflow', 'run', 'audit']

/** Creates the sample data, or deletes all of it permanently, with the changes that were made to it. */
export function SampleDataButton() {
  const queries = useQueryClient()
  const { data } = useQuery(sampleDataQuery)
  const isPresent = data?.present === true
  const change = useMutation({
    mutationFn: () => (isPresent ? client.sampleData.remove({}) : client.sampleData.create({})),
    onSuccess: async ({ data: next }) => {
      await Promise.all(changed.map((entity) => queries.invalidateQueries({ queryKey: [entity] })))
      toast(t(next.present ? 'common:sample.created' : 'common:sample.removed'))
    },
  })
  if (data === undefined) return null
  return (
    <>
      <Button variant="default" size="compact-xs" loading={change.isPending} onClick={() => change.mutate()}>
        {t(isPresent ? 'common:sample.remove' : 'common:sample.create')}
      </Button>
      {change.error !== null && <FormFailure error={change.error} />}
    </>
  )
}
