/**
 * The messages of OTLP 1.10 that the service reads or writes, as `type id`; `*` marks a list. Enumerations are
 * integers. Source: opentelemetry-proto (common, resource, trace, logs, metrics, collector), google/rpc/status.proto,
 * google/rpc/error_details.proto and google/protobuf/any.proto.
 */
export const messages = {
  AnyValue: {
    stringValue: 'string 1',
    boolValue: 'bool 2',
    intValue: 'int64 3',
    doubleValue: 'double 4',
    arrayValue: 'ArrayValue 5',
    kvlistValue: 'KeyValueList 6',
    bytesValue: 'bytes 7',
  },
  ArrayValue: { values: 'AnyValue* 1' },
  KeyValueList: { values: 'KeyValue* 1' },
  KeyValue: { key: 'string 1', value: 'AnyValue 2' },
  InstrumentationScope: { name: 'string 1', version: 'string 2' },
  Resource: { attributes: 'KeyValue* 1' },

  ExportTraceServiceRequest: { resourceSpans: 'ResourceSpans* 1' },
  ResourceSpans: { resource: 'Resource 1', scopeSpans: 'ScopeSpans* 2' },
  ScopeSpans: { scope: 'InstrumentationScope 1', spans: 'Span* 2', schemaUrl: 'string 3' },
  Span: {
    traceId: 'bytes 1',
    spanId: 'bytes 2',
    parentSpanId: 'bytes 4',
    name: 'string 5',
    kind: 'int32 6',
    startTimeUnixNano: 'fixed64 7',
    endTimeUnixNano: 'fixed64 8',
    attributes: 'KeyValue* 9',
    events: 'SpanEvent* 11',
    status: 'SpanStatus 15',
  },
  SpanEvent: { timeUnixNano: 'fixed64 1', name: 'string 2', attributes: 'KeyValue* 3' },
  SpanStatus: { message: 'string 2', code: 'int32 3' },

  ExportLogsServiceRequest: { resourceLogs: 'ResourceLogs* 1' },
  ResourceLogs: { resource: 'Resource 1', scopeLogs: 'ScopeLogs* 2' },
  ScopeLogs: { scope: 'InstrumentationScope 1', logRecords: 'LogRecord* 2' },
  LogRecord: {
    timeUnixNano: 'fixed64 1',
    body: 'AnyValue 5',
    attributes: 'KeyValue* 6',
    traceId: 'bytes 9',
    spanId: 'bytes 10',
    observedTimeUnixNano: 'fixed64 11',
    eventName: 'string 12',
  },

  ExportMetricsServiceRequest: { resourceMetrics: 'ResourceMetrics* 1' },
  ResourceMetrics: { resource: 'Resource 1', scopeMetrics: 'ScopeMetrics* 2' },
  ScopeMetrics: { scope: 'InstrumentationScope 1', metrics: 'Metric* 2', schemaUrl: 'string 3' },
  Metric: { name: 'string 1', description: 'string 2', unit: 'string 3', histogram: 'Histogram 9' },
  Histogram: { dataPoints: 'HistogramDataPoint* 1', aggregationTemporality: 'int32 2' },
  HistogramDataPoint: {
    startTimeUnixNano: 'fixed64 2',
    timeUnixNano: 'fixed64 3',
    count: 'fixed64 4',
    sum: 'double 5',
    bucketCounts: 'fixed64* 6',
    explicitBounds: 'double* 7',
    attributes: 'KeyValue* 9',
  },

  ExportTraceServiceResponse: { partialSuccess: 'ExportTracePartialSuccess 1' },
  ExportTracePartialSuccess: { rejectedSpans: 'int64 1', errorMessage: 'string 2' },
  ExportLogsServiceResponse: { partialSuccess: 'ExportLogsPartialSuccess 1' },
  ExportLogsPartialSuccess: { rejectedLogRecords: 'int64 1', errorMessage: 'string 2' },

  Status: { code: 'int32 1', message: 'string 2', details: 'Any* 3' },
  Any: { typeUrl: 'string 1', value: 'bytes 2' },
  ErrorInfo: { reason: 'string 1', domain: 'string 2' },
} as const satisfies Record<string, Record<string, `${string} ${number}`>>

export type MessageName = keyof typeof messages

/** The members of AnyValue exclude each other. */
export const anyValueMembers = Object.keys(messages.AnyValue)
