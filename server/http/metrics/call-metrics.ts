import { Histogram, type Registry } from 'prom-client'
import type { Run } from '../../../contract/runs/run.ts'
import { durationBuckets, tokenBuckets } from '../../../contract/runs/run-otel.ts'

/**
 * Maximum number of distinct model names in metrics, because callers can choose them. Further ones count as
 * `other`.
 */
const maxNames = 100

const labelNames = ['provider', 'model', 'source', 'status'] as const

/**
 * Metrics of model calls with the names and buckets of the OpenTelemetry conventions for generative AI
 * clients (gen_ai.client.operation.duration and gen_ai.client.token.usage). They cover calls of the service,
 * not runs that apps report.
 */
export function callMetrics(registers: Registry[]): (run: Run) => void {
  const duration = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of model calls',
    labelNames,
    buckets: durationBuckets,
    registers,
  })
  const tokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of model calls as providers report them; estimates are not included',
    labelNames: [...labelNames, 'token_type'] as const,
    buckets: tokenBuckets,
    registers,
  })
  const models = new Set<string>()
  const modelOf = (run: Run): string => {
    const name = JSON.stringify([run.provider, run.model])
    if (models.size < maxNames) models.add(name)
    return models.has(name) ? run.model : 'other'
  }

  return (run) => {
    // Providers and sources need no limit: only built-in ones exist.
    const labels = { provider: run.provider, model: modelOf(run), source: run.source, status: run.status }
    duration.observe(labels, run.latency_ms / 1000)
    if (run.tokens_estimated) return
    if (run.prompt_tokens !== null) tokens.observe({ ...labels, token_type: 'input' }, run.prompt_tokens)
    if (run.output_tokens !== null) tokens.observe({ ...labels, token_type: 'output' }, run.output_tokens)
  }
}
