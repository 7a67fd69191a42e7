import { Group, Loader, Stack } from '@mantine/core'
import { IconAlertTriangle, IconShieldCheck, IconShieldQuestion } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ChainReport } from '../../../contract/system/audit.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Facts } from '../../ui/page/Facts.tsx'
import styles from './audit.module.css'

/** A dialog that verifies the whole chain when it opens, and displays the result. */
export function ChainReportModal({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const report = useQuery({
    queryKey: ['audit-chain-report'],
    queryFn: async ({ signal }) => (await client.audit.verify({}, { signal })).data,
    // Each opening verifies again, so no result is cached.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const checkedAt = report.dataUpdatedAt
  // The badge in the header comes with the list, so refetch it after the verification.
  useEffect(() => {
    if (checkedAt > 0) void queries.invalidateQueries({ queryKey: ['audit'] })
  }, [queries, checkedAt])
  return (
    <Dialog onClose={onClose} title={t('audit:chain.title')} size={520}>
      {report.error !== null ? (
        <ErrorState error={report.error} onRetry={() => void report.refetch()} />
      ) : report.data === undefined ? (
        <Group gap="sm" py="lg" role="status">
          <Loader size="xs" />
          {t('audit:chain.running')}
        </Group>
      ) : (
        <Findings report={report.data} onClose={onClose} />
      )}
    </Dialog>
  )
}

const colors = { verified: 'var(--pd-ok)', unverifiable: 'var(--pd-warn)', broken: 'var(--pd-bad)' } as const
const icons = {
  verified: IconShieldCheck,
  unverifiable: IconShieldQuestion,
  broken: IconAlertTriangle,
} as const
const titles = {
  verified: 'audit:chain.ok',
  unverifiable: 'audit:chain.partly',
  broken: 'audit:chain.bad',
} as const
const notes = { verified: 'audit:chain.ok_text', unverifiable: 'audit:chain.partly_text' } as const

function ChainStatus({ status }: Pick<ChainReport, 'status'>) {
  const Icon = icons[status]
  return (
    <div className={styles['status']} style={{ color: colors[status] }}>
      <Icon size={16} />
      {t(titles[status])}
    </div>
  )
}

type FindingsProps = { readonly report: ChainReport; readonly onClose: () => void }

function Findings({ report, onClose }: FindingsProps) {
  const { ok, status, entries, head, first_broken_id: broken, unverifiable_before: before, reason } = report
  return (
    <Stack gap="lg" data-testid="chain-report">
      <div>
        <ChainStatus status={status} />
        {status !== 'broken' && <p className="note">{t(notes[status])}</p>}
      </div>
      <Facts
        facts={[
          reason !== null && { label: t(ok ? 'audit:chain.note' : 'audit:chain.reason'), value: reason },
          broken !== null && {
            label: t('audit:chain.first_broken'),
            value: <span className="mono">{formatNumber(broken)}</span>,
          },
          before !== null && {
            label: t('audit:chain.unverifiable_before'),
            value: <span className="mono">{formatNumber(before)}</span>,
          },
          {
            label: t('audit:chain.entries'),
            value: <span className="tabular">{formatNumber(entries)}</span>,
          },
          head !== null && {
            label: t('audit:chain.head'),
            value: <span className="mono">{formatNumber(head.id)}</span>,
          },
          head !== null && {
            label: t('audit:chain.head_hash'),
            value: <span className={`mono ${styles['hash']}`}>{head.hash}</span>,
            copy: head.hash,
          },
        ]}
      />
      {broken !== null && (
        <Group justify="flex-end">
          <LinkButton
            variant="default"
            to="/audit/{-$id}"
            params={{ id: String(broken) }}
            search={true}
            onClick={onClose}
          >
            {t('audit:chain.open', { id: formatNumber(broken) })}
          </LinkButton>
        </Group>
      )}
    </Stack>
  )
}
