import { durationBuckets, metricNames, tokenBuckets } from '../../../contract/runs/run-otel.ts'
import { conventionName } from '../convert/names.ts'
import { type ExportedRun, spanIdsOf } from './exported-run.ts'

type Scalar = string | number | boolean | readonly string[] | null
export type Attributes = Readonly<Record<string, Scalar>>

/** The description of this service in the messages. */
export type Exporter = { readonly serviceName: string; readonly version: string; readonly store: string }

const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n)

function anyValue(value: Exclude<Scalar, null>): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    // A larger number, such as a seed, may exceed 64 bits.
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } }
}

/** Returns attributes as a list of KeyValue, without those that are null. */
const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: anyValue(value) }],
  )

/** Groups runs by what the conventions put into the resource: the app and its environment. */
function groups(runs: readonly ExportedRun[], { serviceName, version }: Exporter) {
  const byResource = new Map<string, ExportedRun[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.app ?? serviceName, run.env])
    byResource.set(key, [...(byResource.get(key) ?? []), run])
  }
  return [...byResource].map(([key, members]) => {
    const [app, env]: [string, string | null] = JSON.parse(key)
    const attributes = { 'service.name': app, 'deployment.environment.name': env }
    return {
      resource: { attributes: keyValues(attributes) },
      scope: { name: 'promptdeck', version },
      members,
    }
  })
}

/** The names of parameters in the conventions, by the spelling of each protocol. */
const paramNames: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'top_p',
  topP: 'top_p',
  top_k: 'top_k',
  topK: 'top_k',
  max_tokens: 'max_tokens',
  max_completion_tokens: 'max_tokens',
  max_output_tokens: 'max_tokens',
  maxOutputTokens: 'max_tokens',
  num_predict: 'max_tokens',
  seed: 'seed',
  frequency_penalty: 'frequency_penalty',
  frequencyPenalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
  presencePenalty: 'presence_penalty',
}

/** Returns a text or list of texts as a list; null for anything else. */
function texts(value: unknown): readonly string[] | null {
  const list: unknown = typeof value === 'string' ? [value] : value
  return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : null
}

function paramsOf({ params }: ExportedRun): Attributes {
  const values: Record<string, unknown> = params === null ? {} : JSON.parse(params)
  const stop = texts(values['stop'] ?? values['stop_sequences'] ?? values['stopSequences'])
  const numbers = Object.fromEntries(
    Object.entries(paramNames).flatMap(([param, name]): [string, number][] => {
      const value = values[param]
      return typeof value === 'number' ? [[`gen_ai.request.${name}`, value]] : []
    }),
  )
  return { ...numbers, 'gen_ai.request.stop_sequences': stop }
}

const operation = 'chat'
const common = (run: ExportedRun): Attributes => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': conventionName(run.provider),
  'gen_ai.request.model': run.model,
  'gen_ai.response.model': run.response_model,
})
const errorType = ({ status, error_type: type }: ExportedRun) => (status === 0 ? null : (type ?? '_OTHER'))

/** Returns the attributes of a run's span. Texts of messages are not among them. */
const spanAttributes = (run: ExportedRun): Attributes => ({
  ...common(run),
  ...paramsOf(run),
  'gen_ai.response.id': run.response_id,
  'gen_ai.response.finish_reasons': run.finish_reason === null ? null : [run.finish_reason],
  'gen_ai.response.time_to_first_chunk': run.ttft_us === null ? null : run.ttft_us / 1e6,
  'gen_ai.usage.input_tokens': run.prompt_tokens,
  'gen_ai.usage.output_tokens': run.output_tokens,
  'gen_ai.usage.cache_read.input_tokens': run.cached_tokens,
  'gen_ai.usage.reasoning.output_tokens': run.reasoning_tokens,
  'gen_ai.conversation.id': run.session_id,
  'gen_ai.prompt.name': run.ref_key,
  'gen_ai.prompt.version': run.version,
  ...(run.end_user !== null && { [run.end_user.startsWith('#') ? 'user.hash' : 'user.id']: run.end_user }),
  'error.type': errorType(run),
  'promptdeck.run.id': run.id,
  'promptdeck.run.source': run.source,
  'promptdeck.workspace': run.workspace,
  'promptdeck.cost_usd': run.cost_nano === null ? null : run.cost_nano / 1e9,
  'promptdeck.tokens_estimated': run.tokens_estimated === 1 ? true : null,
})

/** Returns an ExportTraceServiceRequest with a span per run. Ids are bytes, as the binary form has them. */
export function traceMessage(runs: readonly ExportedRun[], exporter: Exporter): object {
  return {
    resourceSpans: groups(runs, exporter).map(({ resource, scope, members }) => ({
      resource,
      scopeSpans: [{ scope, spans: members.map((run) => spanOf(run, exporter)) }],
    })),
  }
}

function spanOf(run: ExportedRun, { store }: Exporter): object {
  const { parentSpanId, ...ids } = spanIdsOf(run, store)
  return {
    ...ids,
    ...(parentSpanId !== null && { parentSpanId }),
    name: `${operation} ${run.model}`,
    // A client of the provider.
    kind: 3,
    startTimeUnixNano: nanos(run.created_at),
    endTimeUnixNano: nanos(run.created_at + run.latency_us / 1000),
    attributes: keyValues(spanAttributes(run)),
    status: run.status === 0 ? {} : { code: 2, ...(run.error !== null && { message: run.error }) },
  }
}

type Point = { attributes: Attributes; count: number; sum: number; counts: number[] }

/** Counts values in buckets, by their attributes. */
function createHistogram(bounds: readonly number[]) {
  const points = new Map<string, Point>()
  return {
    add(attributes: Attributes, value: number) {
      const key = JSON.stringify(attributes)
      const point = points.get(key) ?? { attributes, count: 0, sum: 0, counts: [...bounds, 0].map(() => 0) }
      points.set(key, point)
      const found = bounds.findIndex((bound) => value <= bound)
      const bucket = found === -1 ? bounds.length : found
      point.count += 1
      point.sum += value
      point.counts[bucket] = (point.counts[bucket] ?? 0) + 1
    },
    metric: ({ name, unit }: { readonly name: string; readonly unit: string }, period: Period) => ({
      name,
      unit,
      histogram: {
        // Delta: the values of the runs in this message.
        aggregationTemporality: 1,
        dataPoints: [...points.values()].map(({ attributes, count, sum, counts }) => ({
          startTimeUnixNano: nanos(period.fromMs),
          timeUnixNano: nanos(period.toMs),
          // 64-bit integers are text in the JSON form.
          count: String(count),
          sum,
          bucketCounts: counts.map(String),
          explicitBounds: bounds,
          attributes: keyValues(attributes),
        })),
      },
    }),
  }
}

export type Period = { readonly fromMs: number; readonly toMs: number }

/** Returns an ExportMetricsServiceRequest with the durations and tokens of runs. Estimated tokens are left out. */
export function metricsMessage(runs: readonly ExportedRun[], exporter: Exporter, period: Period): object {
  return {
    resourceMetrics: groups(runs, exporter).map(({ resource, scope, members }) => {
      const durations = createHistogram(durationBuckets)
      const tokens = createHistogram(tokenBuckets)
      for (const run of members) {
        durations.add({ ...common(run), 'error.type': errorType(run) }, run.latency_us / 1e6)
        if (run.tokens_estimated === 1) continue
        const counts = { input: run.prompt_tokens, output: run.output_tokens }
        for (const [type, count] of Object.entries(counts))
          if (count !== null) tokens.add({ ...common(run), 'gen_ai.token.type': type }, count)
      }
      const metrics = [
        durations.metric(metricNames.duration, period),
        tokens.metric(metricNames.tokens, period),
      ]
      return { resource, scopeMetrics: [{ scope, metrics: metrics.filter(hasPoints) }] }
    }),
  }
}

const hasPoints = ({
  histogram,
}: {
  readonly histogram: { readonly dataPoints: readonly object[] }
}): boolean => histogram.dataPoints.length > 0
