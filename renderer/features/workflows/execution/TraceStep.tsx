import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { StepResult } from '../../../../contract/workflow-run.ts'
import { type StepType, stepTypes } from '../../../../contract/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/CopyButton.tsx'
import { Duration } from '../../../ui/display/Duration.tsx'
import { StepIcon } from '../steps/StepIcon.tsx'
import { ExecutionBadge } from './ExecutionBadge.tsx'
import styles from './execution.module.css'
import type { TraceRow } from './trace.ts'

type Props = { readonly row: TraceRow; readonly startedAt: number; readonly span: number }

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
const typeOf = (type: string): StepType | undefined => stepTypes.find((one) => one === type)

/** One step of a trace: status and duration; expanded, its input and output. */
export function TraceStep({ row, startedAt, span }: Props) {
  const [opened, setOpened] = useState<boolean | null>(null)
  const { result } = row
  const hasMore = result !== null || row.text !== ''
  // Failed and running steps are expanded unless the user collapses them.
  const isOpen = hasMore && (opened ?? (row.status === 'error' || row.status === 'running'))
  const type = typeOf(row.type)
  const left = row.startedAt === null ? 0 : Math.max(0, (row.startedAt - startedAt) / span)
  const width = row.startedAt === null ? 0 : (result?.latency_ms ?? span - (row.startedAt - startedAt)) / span
  return (
    <li
      className={styles['step']}
      data-status={row.status}
      data-step={row.name}
      style={{ paddingLeft: row.depth * 18 }}
    >
      <button
        type="button"
        className={styles['stepHead']}
        aria-expanded={isOpen}
        disabled={!hasMore}
        onClick={() => setOpened(!isOpen)}
      >
        {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        <ExecutionBadge status={row.status} />
        {type !== undefined && <StepIcon type={type} />}
        <span className={`mono ${styles['name']}`}>{row.name}</span>
        <span className={`dimmed ${styles['kind']}`}>
          {type === undefined ? row.type : t(`workflows:type.${type}`)}
          {result?.model != null && ` · ${result.model}`}
          {result?.taken_over === true && ` · ${t('workflows:trace.reused')}`}
          {(result?.attempts ?? row.attempt) > 1 &&
            ` · ${t('workflows:trace.attempts', { count: result?.attempts ?? row.attempt })}`}
        </span>
        <span className={styles['time']} aria-hidden="true">
          {row.startedAt !== null && (
            <span
              className={styles['span']}
              style={{ left: `${left * 100}%`, width: `max(2px, ${Math.min(1 - left, width) * 100}%)` }}
            />
          )}
        </span>
        <span className={styles['took']}>
          {result?.tokens != null && <Tokens count={result.tokens} isEstimate={result.tokens_estimated} />}
        </span>
        <span className={styles['took']}>
          <Duration ms={result?.latency_ms ?? null} />
        </span>
      </button>
      {isOpen && (
        <div className={styles['stepBody']}>
          {result === null ? (
            <CodeBlock text={row.text} label={t('workflows:trace.output_of', { name: row.name })} />
          ) : (
            <Result result={result} />
          )}
        </div>
      )}
    </li>
  )
}

function Result({ result }: { readonly result: StepResult }) {
  const { name, input, output, error, tool_calls: calls, run_ids: runs } = result
  const parts = [
    ['workflows:trace.input', input],
    ['workflows:trace.output', output],
  ] as const
  const isCaptured = input !== null || output !== null
  return (
    <>
      {error !== null && (
        <CodeBlock text={error} label={t('workflows:trace.error_of', { name })} tone="bad" />
      )}
      {parts.map(([key, text]) =>
        text === null ? null : (
          <div key={key}>
            <div className={styles['outHead']}>
              <h3 className={styles['subtitle']}>{t(key)}</h3>
              <CopyButton value={text} />
            </div>
            <CodeBlock text={text} label={t(`${key}_of`, { name })} />
          </div>
        ),
      )}
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a finished step never change
        <div key={index}>
          <h3 className={styles['subtitle']}>{t('model:answer.tool_call', { name: call.name })}</h3>
          <CodeBlock text={asText(call.arguments)} label={t('model:answer.tool_call', { name: call.name })} />
        </div>
      ))}
      {!isCaptured && result.status === 'ok' && (
        <p className={styles['note']}>{t('workflows:trace.not_captured')}</p>
      )}
      {runs.length > 0 && (
        <p className={styles['note']}>
          {t('workflows:trace.calls')}{' '}
          {runs.map((id) => (
            <Link
              key={id}
              to="/runs/{-$id}"
              params={{ id: String(id) }}
              search={{ period: 'all' as const }}
              className={styles['link'] ?? ''}
            >
              {t('model:answer.run', { id })}
            </Link>
          ))}
          {result.prompt_tokens !== null && (
            <>
              {' · '}
              {t('workflows:trace.tokens')}{' '}
              <Tokens count={result.prompt_tokens} isEstimate={result.tokens_estimated} /> +{' '}
              <Tokens count={result.output_tokens} isEstimate={result.tokens_estimated} />
            </>
          )}
          {' · '}
          <Money usd={result.cost_usd} />
        </p>
      )}
    </>
  )
}
