import type { ReactNode } from 'react'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { Impact } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import styles from './release.module.css'

type Props = { readonly impact: Impact; readonly env: Environment }

/** Three figures about a publish: clients it reaches, runs of the last day, and changed lines. */
export function ImpactFacts({ impact, env }: Props) {
  const { clients, runs, diff } = impact
  return (
    <dl className={styles['facts']}>
      <Fact
        label={t('prompt:impact.reach')}
        value={t('prompts:clients', { count: clients.total })}
        more={
          clients.total === 0 ? (
            t('prompt:impact.reach_none')
          ) : (
            <span className={styles['apps']}>
              {clients.apps.map(({ app, client_type: type, count }) => (
                <span key={`${app} ${type}`}>
                  <bdi>{app}</bdi> <span className="tabular">×{formatNumber(count)}</span>
                </span>
              ))}
              {clients.silent > 0 && (
                <span>
                  {tNode('prompt:impact.unreported', {
                    count: formatNumber(clients.silent),
                    env: <EnvBadge env={env} />,
                  })}
                </span>
              )}
            </span>
          )
        }
      />
      <Fact
        label={t('prompt:impact.runs')}
        value={t('prompt:impact.runs_count', { count: runs.total, shown: formatNumber(runs.total) })}
        more={
          <>
            {runs.total > 0 && t('prompt:impact.errors', { count: runs.error })}
            {runs.unknown_env > 0 && (
              <div>
                {t('prompt:impact.unknown_env', {
                  count: runs.unknown_env,
                  shown: formatNumber(runs.unknown_env),
                })}
              </div>
            )}
          </>
        }
      />
      <Fact
        label={t('prompt:impact.change')}
        value={
          <>
            <span className={styles['plus']}>+{formatNumber(diff.added_lines)}</span>{' '}
            <span className={styles['minus']}>−{formatNumber(diff.removed_lines)}</span>
          </>
        }
        more={
          <>
            {impact.version === null
              ? t('prompt:impact.first')
              : t('prompt:impact.lines', { version: impact.version })}
            {diff.model_changed && <div>{t('prompt:impact.model')}</div>}
          </>
        }
      />
    </dl>
  )
}

type FactProps = { readonly label: string; readonly value: ReactNode; readonly more: ReactNode }

function Fact({ label, value, more }: FactProps) {
  return (
    <div className={styles['fact']}>
      <dt>{label}</dt>
      <dd>
        <div className={styles['value']}>{value}</div>
        <div className={styles['more']}>{more}</div>
      </dd>
    </div>
  )
}
