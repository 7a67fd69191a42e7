import { Button, CloseButton, Progress } from '@mantine/core'
import { formatBytes, formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { useStore } from '../../lib/state/store.ts'
import { ErrorState } from '../feedback/ErrorState.tsx'
import styles from './ExportTray.module.css'
import { dismissExport, type ExportJob, exportJobs, startExport } from './exports.ts'

/**
 * Progress of each export, with a button to cancel. A failed one shows the reason, and that nothing was
 * saved.
 */
export function ExportTray() {
  return useStore(exportJobs).map((job) =>
    job.error === null ? <Running key={job.id} job={job} /> : <Failed key={job.id} job={job} />,
  )
}

type Props = { readonly job: ExportJob }

const titleOf = ({ request: { label, format } }: ExportJob): { label: string; format: string } => ({
  label,
  format: t(`common:export.${format}`),
})

function Running({ job }: Props) {
  const { request, progress } = job
  const title = t('common:export.running', titleOf(job))
  // Rows that arrive during the export are exported too, so the share is limited to 1.
  const share = request.total === undefined ? null : Math.min(1, progress.rows / Math.max(1, request.total))
  const values = {
    size: formatBytes(progress.bytes),
    rows: formatNumber(progress.rows),
    count: progress.rows,
    total: request.total === undefined ? '' : formatNumber(request.total),
  }
  return (
    <section className={styles['card']} aria-label={title} data-testid="export">
      <div className={styles['line']}>
        <b>{title}</b>
        <Button variant="default" size="compact-xs" onClick={job.cancel}>
          {t('common:cancel')}
        </Button>
      </div>
      <Progress.Root size="sm">
        <Progress.Section
          value={share === null ? 100 : share * 100}
          aria-label={title}
          {...(share === null && { striped: true, animated: true })}
        />
      </Progress.Root>
      <span className={styles['figures']} data-testid="export-progress">
        {t(share === null ? 'common:export.progress' : 'common:export.progress_of', values)}
      </span>
    </section>
  )
}

function Failed({ job }: Props) {
  const { progress } = job
  return (
    <section className={styles['card']} aria-label={t('common:export.failed', titleOf(job))}>
      <div className={styles['line']}>
        <b>{t('common:export.failed', titleOf(job))}</b>
        <CloseButton size="sm" aria-label={t('common:close')} onClick={() => dismissExport(job.id)} />
      </div>
      <span className={styles['figures']}>
        {progress.bytes === 0
          ? t('common:export.nothing')
          : t('common:export.partly', {
              size: formatBytes(progress.bytes),
              rows: formatNumber(progress.rows),
              count: progress.rows,
            })}
      </span>
      <ErrorState
        error={job.error}
        onRetry={() => {
          dismissExport(job.id)
          void startExport(job.request)
        }}
      />
    </section>
  )
}
