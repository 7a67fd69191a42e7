import { maxLatencyMs } from '../../../contract/runs/run.ts'
import type { Span } from '../protocol/records.ts'
import { type Attributes, durationOf, numberOf } from '../protocol/values.ts'
import { isTooLong, parsed } from './content/content.ts'
import { type Reader, readerOf } from './conventions/conventions.ts'
import { metadataOf } from './metadata.ts'
import { errorTypeOf, providerOf } from './names.ts'
import { paramsOf } from './params.ts'
import {
  type Conversion,
  convert,
  countOf,
  errorText,
  outputText,
  resourceFields,
  shortText,
  source,
  tagsOf,
  toolNames,
} from './report.ts'

const unknownName = 'unknown'

/** Converts a span to a run. Returns null for a span that is not a model call. */
export function runOfSpan(span: Span): Conversion | null {
  const attributes = withEventAttributes(span)
  const reader = readerOf(attributes)
  if (reader === null) return null
  const { traceId, spanId, startMs, endMs } = span
  if (traceId === null || spanId === null) return rejected('The trace ID or span ID is not valid')
  if (startMs === null || endMs === null) return rejected('The span has no start or no end')
  if (endMs - startMs > maxLatencyMs) return rejected('The span is longer than 24 hours')
  const { input, output, toolNames: tools } = reader.content()
  return convert(
    {
      ...resourceFields(span.resource, attributes),
      ...namesOf(reader),
      ...usageOf(reader),
      ...failureOf(span, reader),
      ...contextOf(span, reader, attributes),
      source,
      trace_id: traceId,
      span_id: spanId,
      parent_span_id: span.parentSpanId,
      created_at: new Date(startMs).toISOString(),
      latency_ms: durationOf(startMs, endMs),
      ttft_ms: timeToFirst(reader, endMs - startMs),
      tool_names: toolNames(tools),
      input,
      output: outputText(output),
    },
    warningOf(endMs < startMs, attributes),
  )
}

function warningOf(isReversed: boolean, attributes: Attributes): string | null {
  if (isReversed) return 'A span ends before it starts; its duration is stored as 0'
  const hasLongJson = [...attributes.values()].some(isTooLong)
  return hasLongJson ? 'JSON in an attribute is longer than 4 MiB; it is stored as text' : null
}

const rejected = (reason: string): Conversion => ({ kind: 'rejected', reason })

/** Events of `gen_ai` contain texts of messages in place of attributes. */
function withEventAttributes({ attributes, events }: Span): Attributes {
  const added = events.filter(({ name }) => /^gen_ai\.(?:content|client\.inference)\./.test(name))
  if (added.length === 0) return attributes
  return new Map([...added.flatMap((event) => [...event.attributes]), ...attributes])
}

function namesOf(reader: Reader) {
  const responseModel = shortText(reader.first('response_model'), 128)
  const model = shortText(reader.first('model'), 128) ?? responseModel ?? unknownName
  const provider = shortText(reader.first('provider'), 128)
  return {
    provider: provider === null ? unknownName : providerOf(provider),
    model,
    response_model: responseModel,
    response_id: shortText(reader.first('response_id'), 256),
  }
}

function usageOf(reader: Reader) {
  const cost = numberOf(reader.first('cost_usd'))
  return {
    prompt_tokens: countOf(reader.first('prompt_tokens')),
    output_tokens: countOf(reader.first('output_tokens')),
    total_tokens: countOf(reader.first('total_tokens')),
    cached_tokens: countOf(reader.first('cached_tokens')),
    reasoning_tokens: countOf(reader.first('reasoning_tokens')),
    cost_usd: cost !== null && cost >= 0 && cost <= 10_000 ? cost : null,
    finish_reason: finishReason(reader.first('finish_reason')),
  }
}

function finishReason(value: unknown): string | null {
  const reasons = parsed(value)
  const list: unknown[] = Array.isArray(reasons) ? reasons : [reasons]
  const texts = list.filter((each): each is string => typeof each === 'string' && each !== '')
  return shortText([...new Set(texts)].join(','), 64)
}

function failureOf({ hasFailed, statusMessage, events }: Span, reader: Reader) {
  const type = shortText(reader.first('error_type'), 128)
  if (!hasFailed && type === null) return { status: 'ok' }
  const exception = events.find(({ name }) => name === 'exception')?.attributes
  const message = statusMessage === '' ? exception?.get('exception.message') : statusMessage
  const named = type ?? shortText(exception?.get('exception.type'), 128)
  return {
    status: 'error',
    error: errorText(message) ?? type,
    error_type: named === null ? null : errorTypeOf(named),
  }
}

function contextOf({ name, resource }: Span, reader: Reader, attributes: Attributes) {
  const metadata = parsed(reader.first('metadata'))
  const resourceVersion = shortText(resource.get('service.version'), 64)
  const extra = {
    ...(typeof metadata === 'object' && !Array.isArray(metadata) && metadata),
    ...(shortText(name, 128) !== null && { span: shortText(name, 128) }),
    ...(resourceVersion !== null && { 'service.version': resourceVersion }),
  }
  const params = parsed(reader.first('params'))
  const merged = { ...(typeof params === 'object' && !Array.isArray(params) && params), ...reader.params() }
  return {
    session_id: shortText(reader.first('session_id'), 128),
    end_user: shortText(reader.first('end_user'), 128),
    tags: tagsOf(parsed(reader.first('tags')) ?? resource.get('promptdeck.tags')),
    ref_key: shortText(reader.first('ref_key'), 200),
    version: shortText(reader.first('version'), 64),
    params: paramsOf(merged),
    metadata: metadataOf(attributes, extra),
  }
}

function timeToFirst(reader: Reader, durationMs: number): number | null {
  const seconds = numberOf(reader.first('ttft_s'))
  const ms = seconds === null ? numberOf(reader.first('ttft_ms')) : seconds * 1000
  return ms !== null && ms >= 0 && ms <= durationMs ? ms : null
}
