import { hash } from 'node:crypto'
import type { LogRecord } from '../protocol/records.ts'
import type { Attributes } from '../protocol/values.ts'
import { claudeCode } from './logs/claude-code.ts'
import { createCodex } from './logs/codex.ts'
import type { EventRun, EventSource } from './logs/event.ts'
import { metadataOf } from './metadata.ts'
import { type Conversion, convert, resourceFields, shortText, source, tagsOf } from './report.ts'

/** The sender of a record, and the workspace of records that name none. */
export type Sender = { readonly reporter: string; readonly workspace: string | null }

/** Converts a log record to a run. Returns null for a record that is not about a model call. */
export type LogConverter = (record: LogRecord, of: Sender) => Conversion | null

export function createLogConverter(): LogConverter {
  const sources: readonly EventSource[] = [claudeCode, createCodex()]
  return (record, sender) => {
    for (const { runOf, known } of sources) {
      const run = runOf(record, sender.reporter)
      if (run !== null) return toConversion(record, run, new Set(known), sender)
    }
    return null
  }
}

function toConversion(
  record: LogRecord,
  run: EventRun,
  known: ReadonlySet<string>,
  { workspace }: Sender,
): Conversion {
  const { resource, attributes, timeMs, traceId } = record
  const { startMs, ...fields } = run
  if (timeMs === null) return { kind: 'rejected', reason: 'The log record has no time' }
  const latencyMs = Math.max(0, Number(fields.latency_ms ?? 0))
  const rest: Attributes = new Map([...attributes].filter(([name]) => !known.has(name)))
  return convert(
    {
      ...resourceFields(resource, attributes),
      ...fields,
      source,
      latency_ms: latencyMs,
      // An event is logged when the call ends.
      created_at: new Date(Math.max(0, startMs ?? timeMs - latencyMs)).toISOString(),
      client_run_id: recordId(record, workspace),
      // The span of an event is the one that was active, which may have many events.
      trace_id: traceId,
      tags: tagsOf(resource.get('promptdeck.tags')),
      metadata: metadataOf(rest, { event: shortText(record.eventName, 128) ?? '' }),
    },
    null,
  )
}

/** Returns the same id for a record that is sent again. Programs number their events, so that no two are equal. */
function recordId({ timeMs, eventName, attributes, resource }: LogRecord, workspace: string | null): string {
  const text = JSON.stringify([
    timeMs,
    eventName,
    [...attributes],
    resource.get('service.instance.id') ?? null,
    workspace,
  ])
  return `otel:${hash('sha256', text, 'base64url').slice(0, 32)}`
}
