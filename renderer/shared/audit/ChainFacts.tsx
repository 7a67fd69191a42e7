import type { AuditDetail } from '../../../contract/system/audit.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Facts } from '../../ui/page/Facts.tsx'
import { Section } from '../../ui/page/Section.tsx'
import styles from './audit.module.css'

/** Position of an entry in the hash chain, with a link to the entry before it. */
export function ChainFacts({ entry }: { readonly entry: AuditDetail }) {
  const hash = (label: string, value: string) => ({
    label,
    value: <span className={`mono ${styles['hash']}`}>{value}</span>,
    copy: value,
  })
  return (
    <Section
      title={t('audit:drawer.position')}
      aside={
        entry.id > 1 && (
          <LinkButton
            variant="subtle"
            size="compact-xs"
            to="/audit/{-$id}"
            params={{ id: String(entry.id - 1) }}
            search={true}
            replace
          >
            {t('audit:drawer.previous')}
          </LinkButton>
        )
      }
    >
      <Facts
        facts={[
          {
            label: t('audit:drawer.number'),
            value: <span className="mono">{formatNumber(entry.id)}</span>,
            copy: String(entry.id),
          },
          hash(t('audit:drawer.hash'), entry.hash),
          hash(t('audit:drawer.previous_hash'), entry.prev_hash),
        ]}
      />
      <p className="note">
        {t('audit:drawer.hash_help')} {entry.id === 1 && t('audit:drawer.first')}
      </p>
    </Section>
  )
}
