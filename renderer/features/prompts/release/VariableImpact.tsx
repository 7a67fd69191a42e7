import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Impact } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './release.module.css'

/** Added and removed variables, compared with those that runs sent in the last 24 hours. */
export function VariableImpact({ impact: { variables } }: { readonly impact: Impact }) {
  const runsByName = new Map(variables.sent.map(({ name, runs }) => [name, runs]))
  const { added, removed, not_sent: notSent, no_longer_used: unused, runs_seen: seen } = variables
  if (added.length + removed.length + notSent.length + unused.length === 0) return null
  return (
    <section className={styles['variables']} aria-label={t('prompt:impact.variables')}>
      {notSent.length > 0 && (
        <Line tone="warn" label={t('prompt:impact.not_sent', { count: seen, shown: formatNumber(seen) })}>
          <Names names={notSent} />
        </Line>
      )}
      {unused.length > 0 && (
        <Line label={t('prompt:impact.no_longer_used')}>
          <Names names={unused} runsByName={runsByName} />
        </Line>
      )}
      {added.length > 0 && (
        <Line label={t('prompt:impact.added')}>
          <Names names={added} runsByName={runsByName} />
        </Line>
      )}
      {removed.length > 0 && (
        <Line label={t('prompt:impact.removed')}>
          <Names names={removed} runsByName={runsByName} />
        </Line>
      )}
    </section>
  )
}

type LineProps = { readonly label: string; readonly tone?: 'warn'; readonly children: ReactNode }

function Line({ label, tone, children }: LineProps) {
  return (
    <p className={styles['variable']} data-tone={tone}>
      {tone === 'warn' && <IconAlertTriangle size={14} />}
      <span>{label}</span> {children}
    </p>
  )
}

type NamesProps = { readonly names: readonly string[]; readonly runsByName?: ReadonlyMap<string, number> }

function Names({ names, runsByName }: NamesProps) {
  return names.map((name) => {
    const runs = runsByName?.get(name) ?? 0
    return (
      <span key={name} className={styles['variableName']}>
        <span className="mono">{name}</span>
        {runs > 0 && (
          <span className="dimmed">
            {t('prompt:impact.sent_by', { count: runs, shown: formatNumber(runs) })}
          </span>
        )}
      </span>
    )
  })
}
