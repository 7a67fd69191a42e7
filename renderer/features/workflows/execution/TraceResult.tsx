import { Link } from '@tanstack/react-router'
import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import { t } from '../../../lib/i18n.ts'
import { ToolArguments } from '../../../shared/models/ToolArguments.tsx'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from './execution.module.css'

/** The result of a step: its error, input, output, tool calls, and the runs it made. */
export function TraceResult({ result }: { readonly result: StepResult }) {
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
            <div className={styles['outputHead']}>
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
          <h3 className={styles['subtitle']}>{t('model:response.tool_call', { name: call.name })}</h3>
          <ToolArguments call={call} />
        </div>
      ))}
      {!isCaptured && result.status === 'ok' && (
        <p className={styles['note']}>{t('workflows:trace.not_captured')}</p>
      )}
      {runs.length > 0 && <ModelCalls result={result} />}
    </>
  )
}

/** The runs of a step with links, and their tokens and cost. */
function ModelCalls({ result }: { readonly result: StepResult }) {
  return (
    <p className={styles['note']}>
      {t('workflows:trace.calls')}{' '}
      {result.run_ids.map((id) => (
        <Link
          key={id}
          to="/runs/{-$id}"
          params={{ id: String(id) }}
          search={{ period: 'all' as const }}
          className={styles['link'] ?? ''}
        >
          {t('model:response.run', { id })}
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
  )
}
