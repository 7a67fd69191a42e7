import type { LogRecord } from '../../protocol/records.ts'
import { numberOf } from '../../protocol/values.ts'
import { errorTypeOf, programProviders } from '../names.ts'
import { countOf, errorText, shortText } from '../report.ts'
import type { EventRun, EventSource } from './event.ts'

/**
 * Claude Code. Source: its documentation, "Monitoring", events `claude_code.api_request` and
 * `claude_code.api_error`. Numbers may be sent as text. `input_tokens` excludes cached tokens; the prompt
 * tokens of a run include them.
 */
export const claudeCode: EventSource = {
  known: [
    'model',
    'cost_usd',
    'duration_ms',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_creation_tokens',
    'session.id',
    'user.id',
    'request_id',
    'error',
    'status_code',
    'event.name',
    'event.timestamp',
  ],
  runOf(record) {
    const name = record.eventName.replace(/^claude_code\./, '')
    if (name !== 'api_request' && name !== 'api_error') return null
    if (name !== record.eventName || isClaudeCode(record)) return toRun(record, name === 'api_error')
    return null
  },
}

/** Returns true for a record of Claude Code. Some versions send the event name without its prefix. */
const isClaudeCode = ({ resource }: LogRecord): boolean => resource.get('service.name') === 'claude-code'

function toRun({ attributes }: LogRecord, hasFailed: boolean): EventRun {
  const sum = (...names: string[]) => {
    const counts = names.map((name) => countOf(attributes.get(name)))
    return counts.every((count) => count === null)
      ? null
      : counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  }
  const status = shortText(attributes.get('status_code'), 16)
  return {
    startMs: null,
    provider: programProviders.claudeCode,
    model: shortText(attributes.get('model'), 128) ?? 'unknown',
    latency_ms: numberOf(attributes.get('duration_ms')) ?? 0,
    status: hasFailed ? 'error' : 'ok',
    error: hasFailed ? errorText(attributes.get('error')) : null,
    error_type: hasFailed && status !== null && status !== 'undefined' ? errorTypeOf(status) : null,
    prompt_tokens: sum('input_tokens', 'cache_read_tokens', 'cache_creation_tokens'),
    output_tokens: countOf(attributes.get('output_tokens')),
    cached_tokens: countOf(attributes.get('cache_read_tokens')),
    cost_usd: numberOf(attributes.get('cost_usd')),
    session_id: shortText(attributes.get('session.id'), 128),
    end_user: shortText(attributes.get('user.id'), 128),
  }
}
