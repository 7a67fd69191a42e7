import { Link } from '@tanstack/react-router'
import type { RunDetail } from '../../../contract/runs/run.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { asText, conversationOf } from '../../shared/runs/content/messages.ts'
import { CapturedValue } from '../../shared/runs/content/RunContent.tsx'
import { Money } from '../../shared/runs/Money.tsx'
import { StatusBadge } from '../../shared/runs/StatusBadge.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { ClockTime } from '../../ui/display/ClockTime.tsx'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import styles from './sessions.module.css'

type Props = { readonly run: RunDetail; readonly previous: RunDetail | undefined }

/**
 * Returns the input of a run without the messages that the previous run already contained. A system message may
 * differ, because apps put the current time into it; it is then new.
 */
function newInput({ input }: RunDetail, previous: RunDetail | undefined): unknown {
  const before = conversationOf(previous?.input ?? null)
  const current = conversationOf(input)
  if (before === null || current === null || !Array.isArray(input)) return input
  const isSame = (index: number): boolean =>
    JSON.stringify(before.messages[index]) === JSON.stringify(current.messages[index])
  const isRepeated = before.messages.every(
    ({ role }, index) => isSame(index) || (role === 'system' && current.messages[index]?.role === 'system'),
  )
  if (!isRepeated) return input
  const instructions: unknown[] = input.slice(0, before.messages.length).filter((_, index) => !isSame(index))
  const rest: unknown[] = input.slice(before.messages.length)
  // Apps repeat the output of the previous run as the first message.
  const [first] = conversationOf(rest.slice(0, 1))?.messages ?? []
  const isPreviousOutput = first?.role === 'assistant' && first.text === previous?.output
  const added = [...instructions, ...(isPreviousOutput ? rest.slice(1) : rest)]
  return added.length === 0 ? input : added
}

/** One run of a conversation: what is new in its input, its output or error, and its figures. */
export function SessionTurn({ run, previous }: Props) {
  const input = newInput(run, previous)
  const label = t('sessions:run', { id: run.id })
  return (
    <li className={styles['turn']}>
      <div className={styles['line']}>
        <Link to="/runs/{-$id}" params={{ id: String(run.id) }} search={{ period: 'all' }}>
          {label}
        </Link>
        <ClockTime at={run.created_at} />
        {run.ref_key !== null && <bdi className="mono">{run.ref_key}</bdi>}
        <bdi className="mono">{run.model}</bdi>
        <Duration ms={run.latency_ms} />
        {run.total_tokens !== null && (
          <span>
            {tNode('sessions:tokens', {
              count: run.total_tokens,
              tokens: <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />,
            })}
          </span>
        )}
        {run.cost_usd !== null && <Money usd={run.cost_usd} />}
        <StatusBadge status={run.status} />
      </div>
      {input !== null && <CapturedValue value={input} label={label} isRaw={false} />}
      {run.output !== null && (
        <CapturedValue
          value={[{ role: 'assistant', content: asText(run.output) }]}
          label={label}
          isRaw={false}
        />
      )}
      {run.input === null && run.output === null && (
        <p className="dimmed">{t(`run_content:state.${run.content_state}`)}</p>
      )}
      {run.error !== null && <CodeBlock text={run.error} label={label} tone="bad" />}
    </li>
  )
}
