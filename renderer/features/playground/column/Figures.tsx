import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { formatDuration, formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useRealMe } from '../../../lib/session/me.ts'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { Hint } from '../../../ui/display/Hint.tsx'
import type { Result } from '../playground.state.ts'
import styles from './outcome.module.css'

const tickMs = 100

type FigureName = 'first' | 'total' | 'in' | 'out' | 'speed' | 'cost'

/** Returns the milliseconds since the start of the run, updated while it is in progress. */
function useElapsed({ status, startedAt }: Result): number {
  const [now, setNow] = useState(Date.now)
  const isRunning = status === 'running'
  useEffect(() => {
    if (!isRunning) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [isRunning])
  return Math.max(0, now - startedAt)
}

/** Returns the output tokens per second, without the time to the first token if that is known. */
function speedOf(result: Result): string {
  const { run } = result
  if (run === null || run.output_tokens === null || run.output_tokens === 0) return unknown
  const ms = run.latency_ms - (run.ttft_ms ?? 0)
  if (ms < 1) return unknown
  return `${run.tokens_estimated ? '~' : ''}${formatNumber((run.output_tokens / ms) * 1000)}`
}

/**
 * The time, tokens and cost of a run. Until the service's figures arrive, times are measured by the console.
 */
export function Figures({ result }: { readonly result: Result }) {
  const { run, status } = result
  const elapsed = useElapsed(result)
  const isEstimate = run?.tokens_estimated ?? false
  const total = status === 'running' ? elapsed : (run?.latency_ms ?? result.totalMs)
  const figures: readonly (readonly [name: FigureName, value: ReactNode])[] = [
    ['first', formatDuration(roundMs(run?.ttft_ms ?? result.firstMs))],
    ['total', formatDuration(roundMs(total))],
    ['in', <Tokens key="in" count={run?.prompt_tokens ?? null} isEstimate={isEstimate} />],
    ['out', <Tokens key="out" count={run?.output_tokens ?? null} isEstimate={isEstimate} />],
    ['speed', speedOf(result)],
    ['cost', run === null ? unknown : <Money key="cost" usd={run.cost_usd} />],
  ]
  return (
    <footer className={styles['figures']}>
      <dl>
        {figures.map(([name, value]) => (
          <div key={name} data-figure={name}>
            <dt>{t(`playground:figures.${name}`)}</dt>
            <dd className="tabular">{value}</dd>
          </div>
        ))}
      </dl>
      <ResultFooter result={result} />
    </footer>
  )
}

const roundMs = (ms: number | null | undefined): number | null | undefined =>
  typeof ms === 'number' ? Math.round(ms) : ms

/** The model, the finish reason, and a link to the run log. */
function ResultFooter({ result }: { readonly result: Result }) {
  const { username } = useRealMe()
  const { run, status, model, version, finishReason } = result
  return (
    <div className={styles['trail']}>
      <span className="truncate">
        <bdi className="mono">{model}</bdi>
        {version !== null && <> · {version === 'draft' ? t('playground:source.draft') : version}</>}
        {finishReason !== null && (
          <>
            {' · '}
            <Hint label={t('playground:figures.finish')}>
              <bdi data-testid="finish">{finishReason}</bdi>
            </Hint>
          </>
        )}
      </span>
      {run !== null ? (
        <Link to="/runs/{-$id}" params={{ id: String(run.id) }}>
          {t('playground:figures.run', { id: run.id })}
        </Link>
      ) : (
        (status === 'stopped' || status === 'cut') && (
          <Link
            to="/runs/{-$id}"
            params={{ id: undefined }}
            search={{ source: ['playground'], user: [username] }}
          >
            {t('playground:figures.runs')}
          </Link>
        )
      )}
    </div>
  )
}
