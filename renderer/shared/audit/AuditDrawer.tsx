import { useQuery } from '@tanstack/react-query'
import type { AuditDetail } from '../../../contract/system/audit.ts'
import { formatExact } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Diff } from '../../ui/diff/Diff.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../ui/page/DetailDrawer.tsx'
import { Facts } from '../../ui/page/Facts.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { WorkspaceName } from '../workspaces/WorkspaceName.tsx'
import { ActorMark } from './ActorMark.tsx'
import { AuditLinks } from './AuditLinks.tsx'
import styles from './audit.module.css'
import { auditEntryQuery } from './auditEntry.ts'
import { ChainFacts } from './ChainFacts.tsx'
import { RestoreButton } from './RestoreButton.tsx'
import { sentenceOf } from './sentence.tsx'

type Props = { readonly id: string; readonly navigation: RowNavigation; readonly onClose: () => void }

export function AuditDrawer({ id, navigation, onClose }: Props) {
  const query = useQuery(auditEntryQuery(id))
  const entry = query.data
  return (
    <DetailDrawer
      title={
        entry === undefined ? (
          t('audit:one', { id })
        ) : (
          <span className={styles['title']}>{sentenceOf(entry)}</span>
        )
      }
      navigation={navigation}
      onClose={onClose}
      query={query}
      summary={
        entry !== undefined && (
          <>
            <ActorMark entry={entry} />
            <Badge tone={entry.action === 'login_failed' ? 'warn' : 'quiet'}>
              {t(`audit:action.${entry.action}`)}
            </Badge>
            <span className="dimmed">
              <Time at={entry.created_at} />
            </span>
          </>
        )
      }
      actions={
        entry !== undefined && (
          <>
            <RestoreButton entry={entry} />
            <AuditLinks entry={entry} />
          </>
        )
      }
    >
      {entry !== undefined && <Details entry={entry} />}
    </DetailDrawer>
  )
}

function Details({ entry }: { readonly entry: AuditDetail }) {
  const { before, after } = entry
  const title =
    before === null
      ? t('audit:drawer.values')
      : after === null
        ? t('audit:drawer.removed')
        : t('audit:drawer.changes')
  const exact = formatExact(new Date(entry.created_at))
  const mono = (label: string, value: string | null) =>
    value !== null && { label, value: <span className="mono">{value}</span>, copy: value }
  return (
    <>
      <Section title={before === null && after === null ? t('audit:drawer.changes') : title}>
        <Diff before={before} after={after} empty={t('audit:drawer.nothing')} />
      </Section>
      <Section title={t('audit:drawer.facts')}>
        <Facts
          facts={[
            { label: t('audit:drawer.summary'), value: entry.summary },
            { label: t('audit:drawer.time'), value: exact.local },
            {
              label: t('audit:drawer.utc'),
              value: <span className="mono">{exact.utc}</span>,
              copy: exact.utc,
            },
            { label: t('audit:drawer.actor'), value: <bdi>{entry.actor}</bdi>, copy: entry.actor },
            { label: t('audit:drawer.kind'), value: t(`audit:kind.${entry.actor_kind}`) },
            mono(t('audit:drawer.actor_id'), entry.actor_id),
            { label: t('audit:column.resource'), value: t(`audit:resource.${entry.resource}`) },
            mono(t('audit:column.key'), entry.key),
            mono(t('audit:drawer.resource_id'), entry.resource_id),
            entry.workspace_id !== null && {
              label: t('audit:column.workspace'),
              value: <WorkspaceName workspace={entry.workspace_id} />,
              copy: entry.workspace_id,
            },
            mono(t('audit:column.ip'), entry.ip),
            mono(t('audit:column.request'), entry.request_id),
          ]}
        />
      </Section>
      <ChainFacts entry={entry} />
    </>
  )
}
