import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatExact, formatSpan } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { deletionQuery } from '../../../shared/deletion/deletion.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { FormFailure } from '../../../ui/dialog/FormFailure.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import styles from './DeletionPaused.module.css'

/** Precision of the shift. Two clocks are read one after the other, and 40 days must not become 39 by a millisecond. */
const precisionMs = 60_000

/**
 * A notice that deletion by age is paused, with its reason and a button to confirm the clock. Empty
 * otherwise.
 */
export function DeletionPaused() {
  const queries = useQueryClient()
  const { data } = useQuery(deletionQuery)
  const resuming = useMutation({
    mutationFn: () => client.settings.resumeDeletion({}),
    onSuccess: ({ data: next }) => {
      queries.setQueryData(deletionQuery.queryKey, next)
      void queries.invalidateQueries({ queryKey: ['audit'] })
      toast(t('settings:deletion.resumed'))
    },
  })
  if (data?.status !== 'paused') return null
  const shift = Math.round((data.clock_shift_ms ?? 0) / precisionMs) * precisionMs
  const time = formatExact(new Date(data.service_time)).local
  const resume = async (): Promise<void> => {
    const isConfirmed = await confirm({
      title: t('settings:deletion.confirm_title'),
      body: t('settings:deletion.confirm', { time }),
      action: t('settings:deletion.confirm_action'),
      isDangerous: true,
    })
    if (isConfirmed) resuming.mutate()
  }
  return (
    <div className={styles['paused']} data-testid="deletion-paused">
      <strong>{t('settings:deletion.title')}</strong>
      <p className={styles['text']}>
        {t(shift > 0 ? 'settings:deletion.ahead' : 'settings:deletion.back', {
          span: formatSpan(Math.abs(shift)),
          time,
        })}{' '}
        {t('settings:deletion.resumes', { span: formatSpan(data.resumes_in_ms ?? 0) })}
      </p>
      {resuming.error !== null && <FormFailure error={resuming.error} />}
      <Button variant="default" loading={resuming.isPending} onClick={() => void resume()}>
        {t('settings:deletion.resume')}
      </Button>
    </div>
  )
}
