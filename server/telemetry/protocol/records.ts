import {
  type Attributes,
  attributesOf,
  idOf,
  listOf,
  objectOf,
  plainValue,
  textOf,
  timeOf,
} from './values.ts'

type Source = {
  /** Attributes of the program that sent it. */
  readonly resource: Attributes
  readonly attributes: Attributes
  /** In hexadecimal; null if it is invalid. */
  readonly traceId: string | null
  readonly spanId: string | null
}

export type SpanEvent = {
  readonly name: string
  readonly timeMs: number | null
  readonly attributes: Attributes
}

export type Span = Source & {
  readonly parentSpanId: string | null
  readonly name: string
  /** Epoch milliseconds, with fractions; null if unknown. */
  readonly startMs: number | null
  readonly endMs: number | null
  readonly hasFailed: boolean
  readonly statusMessage: string
  readonly events: readonly SpanEvent[]
}

export type LogRecord = Source & {
  readonly timeMs: number | null
  readonly eventName: string
}

/** The code of a failed span; some emitters of JSON write its name. */
const failed: ReadonlySet<unknown> = new Set([2, 'STATUS_CODE_ERROR'])

/** Returns the spans of an ExportTraceServiceRequest. Throws `request.malformed`. */
export const spansOf = (request: unknown): Span[] =>
  recordsOf(request, ['resourceSpans', 'scopeSpans', 'spans'], toSpan)

/** Returns the log records of an ExportLogsServiceRequest. Throws `request.malformed`. */
export const logRecordsOf = (request: unknown): LogRecord[] =>
  recordsOf(request, ['resourceLogs', 'scopeLogs', 'logRecords'], toLogRecord)

type Convert<T> = (fields: Readonly<Record<string, unknown>>, resource: Attributes, path: string) => T

function recordsOf<T>(
  request: unknown,
  [outer, middle, inner]: readonly [string, string, string],
  convert: Convert<T>,
): T[] {
  const records: T[] = []
  for (const [i, group] of listOf(objectOf(request, 'body')[outer], outer).entries()) {
    const groupPath = `${outer}.${i}`
    const fields = objectOf(group, groupPath)
    const resource = attributesOf(
      objectOf(fields['resource'], `${groupPath}.resource`)['attributes'],
      `${groupPath}.resource.attributes`,
    )
    for (const [j, scope] of listOf(fields[middle], `${groupPath}.${middle}`).entries()) {
      const scopePath = `${groupPath}.${middle}.${j}`
      const list = listOf(objectOf(scope, scopePath)[inner], `${scopePath}.${inner}`)
      for (const [k, record] of list.entries()) {
        const path = `${scopePath}.${inner}.${k}`
        records.push(convert(objectOf(record, path), resource, path))
      }
    }
  }
  return records
}

const toSpan: Convert<Span> = (fields, resource, path) => {
  const status = objectOf(fields['status'], `${path}.status`)
  return {
    resource,
    attributes: attributesOf(fields['attributes'], `${path}.attributes`),
    traceId: idOf(fields['traceId'], 16),
    spanId: idOf(fields['spanId'], 8),
    parentSpanId: idOf(fields['parentSpanId'], 8),
    name: textOf(fields['name']),
    startMs: timeOf(fields['startTimeUnixNano']),
    endMs: timeOf(fields['endTimeUnixNano']),
    hasFailed: failed.has(status['code']),
    statusMessage: textOf(status['message']),
    events: listOf(fields['events'], `${path}.events`).map((event, index) => {
      const eventPath = `${path}.events.${index}`
      const { name, timeUnixNano, attributes } = objectOf(event, eventPath)
      return {
        name: textOf(name),
        timeMs: timeOf(timeUnixNano),
        attributes: attributesOf(attributes, `${eventPath}.attributes`),
      }
    }),
  }
}

const toLogRecord: Convert<LogRecord> = (fields, resource, path) => {
  const attributes = attributesOf(fields['attributes'], `${path}.attributes`)
  const body = plainValue(fields['body'])
  const names = [fields['eventName'], attributes.get('event.name'), body]
  return {
    resource,
    attributes,
    traceId: idOf(fields['traceId'], 16),
    spanId: idOf(fields['spanId'], 8),
    timeMs: timeOf(fields['timeUnixNano']) ?? timeOf(fields['observedTimeUnixNano']),
    eventName: textOf(names.find((name) => typeof name === 'string' && name !== '')),
  }
}
