import type { ReactNode } from 'react'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { Duration } from '../../../ui/display/Duration.tsx'
import { Money } from '../Money.tsx'
import { Tokens } from '../Tokens.tsx'
import styles from './drawer.module.css'

export function figuresOf(run: RunDetail): readonly (readonly [label: string, value: ReactNode])[] {
  const isEstimate = run.tokens_estimated
  return [
    [t('runs:field.latency'), <Duration key="latency" ms={run.latency_ms} />],
    [t('runs:field.ttft'), <Duration key="ttft" ms={run.ttft_ms} />],
    [t('runs:field.tokens_in'), <Tokens key="in" count={run.prompt_tokens} isEstimate={isEstimate} />],
    [t('runs:field.tokens_out'), <Tokens key="out" count={run.output_tokens} isEstimate={isEstimate} />],
    [t('runs:field.tokens'), <Tokens key="total" count={run.total_tokens} isEstimate={isEstimate} />],
    [t('runs:field.cost'), <Money key="cost" usd={run.cost_usd} />],
  ]
}

export const RunFigures = ({ run }: { readonly run: RunDetail }) => (
  <dl className={styles['strip']}>
    {figuresOf(run).map(([label, value]) => (
      <div key={label} className={styles['figure']}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
