import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatDuration } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Failure } from '../../../shared/definitions/page/Failure.tsx'
import { Figures } from '../../../shared/definitions/page/Figures.tsx'
import { ToolArguments } from '../../../shared/models/ToolArguments.tsx'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { Duration } from '../../../ui/display/Duration.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import type { AgentRun } from './agent.runner.ts'
import styles from './run.module.css'

/** The streamed response of the model, with its latency, tokens and cost. */
export function RunResponse({ run }: { readonly run: AgentRun }) {
  const text = run.reply?.result.output ?? run.text
  const calls = run.reply?.result.tool_calls ?? run.toolCalls
  const isWaiting = run.status === 'running' && text === '' && calls.length === 0
  const rendered = run.reply?.rendered ?? run.failure?.problem?.rendered
  return (
    <section className={styles['response']} aria-label={t('model:response.title')} data-status={run.status}>
      <div className={styles['responseHead']}>
        <h3 className={styles['subtitle']}>{t('model:response.title')}</h3>
        {text !== '' && <CopyButton value={text} />}
        <RunLink run={run} />
      </div>
      {isWaiting && (
        <p className={styles['note']} role="status">
          {t('model:response.waiting')}
        </p>
      )}
      {text !== '' && <CodeBlock text={text} label={t('model:response.text')} />}
      {run.status === 'done' && text === '' && calls.length === 0 && (
        <p className={styles['note']}>{t('model:response.empty')}</p>
      )}
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls are only appended
        <div key={index}>
          <p className={styles['note']}>{t('model:response.tool_call', { name: call.name })}</p>
          <ToolArguments call={call} />
        </div>
      ))}
      {run.status === 'stopped' && (
        <p className={styles['note']} role="status">
          {t('model:response.stopped')}
        </p>
      )}
      {run.failure !== null && <Failed run={run} />}
      {run.reply !== null && <RunMetrics run={run} reply={run.reply} />}
      {rendered !== undefined && (
        <details className={styles['details']}>
          <summary>{t('model:response.rendered')}</summary>
          <CodeBlock text={rendered} label={t('model:response.rendered')} />
        </details>
      )}
    </section>
  )
}

function RunLink({ run }: { readonly run: AgentRun }) {
  const id = run.reply?.run.id ?? run.failure?.problem?.run_id
  if (id === undefined) return null
  return (
    <Link
      to="/runs/{-$id}"
      params={{ id: String(id) }}
      search={{ period: 'all' as const }}
      className={styles['runLink'] ?? ''}
    >
      {t('model:response.run', { id })}
    </Link>
  )
}

function Failed({ run }: { readonly run: AgentRun }) {
  const problem = run.failure?.problem
  const errors = problem?.errors?.map(({ path, message }) => `${path}: ${message}`) ?? []
  return (
    <Failure>
      <b>{problem?.title ?? t('common:error.title')}</b>
      <span>{run.failure?.message}</span>
      {errors.map((error) => (
        <span key={error}>{error}</span>
      ))}
      {problem?.error_type !== undefined && <span className="mono">{problem.error_type}</span>}
    </Failure>
  )
}

type RunMetricsProps = { readonly run: AgentRun; readonly reply: NonNullable<AgentRun['reply']> }

function RunMetrics({ run, reply }: RunMetricsProps) {
  const { run: entry, result } = reply
  const isEstimate = entry.tokens_estimated
  const figures: readonly (readonly [label: string, value: ReactNode])[] = [
    [t('model:response.first_token'), formatDuration(entry.ttft_ms ?? run.firstTextMs)],
    [t('model:response.latency'), <Duration key="latency" ms={entry.latency_ms} />],
    [t('model:response.tokens_in'), <Tokens key="in" count={entry.prompt_tokens} isEstimate={isEstimate} />],
    [
      t('model:response.tokens_out'),
      <Tokens key="out" count={entry.output_tokens} isEstimate={isEstimate} />,
    ],
    [t('model:response.cost'), <Money key="cost" usd={entry.cost_usd} />],
    [
      t('model:response.finish'),
      <span key="finish" className="mono">
        {result.finish_reason ?? '—'}
      </span>,
    ],
  ]
  return <Figures figures={figures} />
}
