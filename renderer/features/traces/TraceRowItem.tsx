import { VisuallyHidden } from '@mantine/core'
import { IconRobot, IconRoute, IconStack2, IconTool } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { SpanKind, TraceSpan } from '../../../contract/runs/spans.ts'
import { formatDuration } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { StatusBadge } from '../../shared/runs/StatusBadge.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import styles from './traces.module.css'
import { type TraceItem, type TraceRow, timesOf } from './traceTree.ts'

type Props = {
  readonly row: TraceRow
  readonly durationMs: number
  /** The run whose drawer is open. */
  readonly openId: string | undefined
}

/** Maximum indentation, so that deep calls keep a readable name. */
const maxIndent = 12

const icons: Readonly<Record<SpanKind, typeof IconTool>> = {
  agent: IconRobot,
  workflow: IconRoute,
  step: IconStack2,
  tool: IconTool,
}

/** The kind and name of a span that is not a model call. */
function SpanName({ span: { kind, name } }: { readonly span: TraceSpan }) {
  const Icon = icons[kind]
  return (
    <span className={styles['span']}>
      <Icon size={14} aria-hidden="true" />
      <span className="dimmed">{t(`traces:kind.${kind}`)}</span>
      <bdi className="mono truncate" title={name}>
        {name}
      </bdi>
    </span>
  )
}

function Name({ item, openId }: Pick<Props, 'openId'> & { readonly item: TraceItem }) {
  if (item.type === 'span') return <SpanName span={item.span} />
  const { id, ref_key: key, model } = item.run
  return (
    <>
      <Link
        to="."
        search={(before) => ({ ...before, run: String(id) })}
        replace={openId !== undefined}
        resetScroll={false}
      >
        <bdi className="mono truncate">{key ?? model}</bdi>
      </Link>
      {key !== null && <bdi className="mono dimmed truncate">{model}</bdi>}
    </>
  )
}

/** One item of a trace: its name, its time on the axis of the trace, and its figures. */
export function TraceRowItem({ row: { item, depth, offsetMs }, durationMs, openId }: Props) {
  const { latency_ms: latency, status } = timesOf(item)
  const scale = durationMs === 0 ? 0 : 100 / durationMs
  const style = {
    marginInlineStart: `${offsetMs * scale}%`,
    inlineSize: `max(3px, ${latency * scale}%)`,
  }
  const indent = { paddingInlineStart: `${Math.min(depth, maxIndent) * 16}px` }
  const time = t('traces:time', { offset: formatDuration(offsetMs), duration: formatDuration(latency) })
  const isOpen = item.type === 'run' && String(item.run.id) === openId
  return (
    <li className={styles['row']} aria-current={isOpen}>
      <span className={styles['name']} style={indent}>
        {depth > 0 && <VisuallyHidden>{t('traces:level', { level: depth + 1 })}, </VisuallyHidden>}
        <Name item={item} openId={openId} />
      </span>
      <span className={styles['track']} title={time} role="img" aria-label={time}>
        <span className={styles['bar']} data-status={status} data-type={item.type} style={style} />
      </span>
      <span className={styles['figures']}>
        <Duration ms={latency} />
        {item.type === 'run' ? (
          <>
            <Tokens count={item.run.total_tokens} isEstimate={item.run.tokens_estimated} />
            <Money usd={item.run.cost_usd} />
          </>
        ) : (
          <>
            <span />
            <span />
          </>
        )}
        <StatusBadge status={status} />
      </span>
      {item.type === 'span' && item.span.error !== null && (
        <span className={styles['error']} style={indent}>
          {item.span.error}
        </span>
      )}
    </li>
  )
}
