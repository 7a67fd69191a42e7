import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { LogRecord } from '../../protocol/records.ts'
import { numberOf } from '../../protocol/values.ts'
import { errorTypeOf, programProviders } from '../names.ts'
import { countOf, errorText, shortText } from '../report.ts'
import type { EventRun, EventSource } from './event.ts'

/** Conversations of which the latest request is remembered. */
const maxConversations = 1000

/**
 * Codex. Source: openai/codex, codex-rs/otel: a call is a `codex.api_request` (until the headers of the reply), or
 * `codex.websocket_request`, and then a `codex.sse_event` of the kind `response.completed` with the token counts. The
 * last one has no duration, so the start of the request is remembered.
 */
export function createCodex(): EventSource {
  const starts = new LRUCache<string, number>({ max: maxConversations })

  const request = (record: LogRecord, key: string): EventRun | null => {
    const { attributes, timeMs } = record
    const durationMs = Math.max(0, numberOf(attributes.get('duration_ms')) ?? 0)
    const status = numberOf(attributes.get('http.response.status_code'))
    const hasFailed =
      (status !== null && status >= 400) || errorText(attributes.get('error.message')) !== null
    if (hasFailed) return { ...failed(record, status), startMs: null, latency_ms: durationMs }
    if (timeMs !== null) starts.set(key, timeMs - durationMs)
    return null
  }

  const event = (record: LogRecord, key: string): EventRun | null => {
    const { attributes, timeMs } = record
    const kind = attributes.get('event.kind')
    const hasFailed = errorText(attributes.get('error.message')) !== null
    const isComplete = kind === 'response.completed' && attributes.has('output_token_count')
    if (!isComplete && !hasFailed) return null
    const start = starts.get(key)
    starts.delete(key)
    const startMs = start === undefined || timeMs === null || start > timeMs ? null : start
    const latency = startMs === null || timeMs === null ? 0 : timeMs - startMs
    const run = hasFailed ? failed(record, null) : completed(record)
    return { ...run, startMs, latency_ms: latency }
  }

  return {
    known: [
      'model',
      'conversation.id',
      'user.account_id',
      'user.email',
      'input_token_count',
      'output_token_count',
      'cached_token_count',
      'reasoning_token_count',
      'duration_ms',
      'ttft_ms',
      'error.message',
      'http.response.status_code',
      'event.name',
      'event.kind',
      'event.timestamp',
    ],
    runOf(record, reporter) {
      const key = keyOf(reporter, record.attributes.get('conversation.id'))
      const { eventName } = record
      if (eventName === 'codex.api_request' || eventName === 'codex.websocket_request')
        return request(record, key)
      return eventName === 'codex.sse_event' ? event(record, key) : null
    },
  }
}

/** Returns the digest of an id, because keys stay in memory, and a part of a long text keeps all of it. */
const keyOf = (reporter: string, id: unknown): string =>
  hash('sha256', `${reporter}\n${String(id)}`, 'base64url')

const common = ({ attributes }: LogRecord) => ({
  provider: programProviders.codex,
  model: shortText(attributes.get('model'), 128) ?? 'unknown',
  session_id: shortText(attributes.get('conversation.id'), 128),
  end_user: shortText(attributes.get('user.account_id'), 128),
})

const completed = (record: LogRecord) => ({
  ...common(record),
  status: 'ok',
  prompt_tokens: countOf(record.attributes.get('input_token_count')),
  output_tokens: countOf(record.attributes.get('output_token_count')),
  cached_tokens: countOf(record.attributes.get('cached_token_count')),
  reasoning_tokens: countOf(record.attributes.get('reasoning_token_count')),
  ttft_ms: numberOf(record.attributes.get('ttft_ms')),
})

const failed = (record: LogRecord, status: number | null) => ({
  ...common(record),
  status: 'error',
  error: errorText(record.attributes.get('error.message')) ?? (status === null ? null : `HTTP ${status}`),
  error_type: status === null ? null : errorTypeOf(String(status)),
})
