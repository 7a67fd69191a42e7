import { Histogram, type Registry } from 'prom-client'
import type { Run } from '../../../contract/runs/run.ts'

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
    buckets: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
    registers,
  })
  const tokens = new Histogram({
    name: 'gen_ai_client_token_usage',
    help: 'Tokens of model calls as providers report them; estimates are not included',
    labelNames: [...labelNames, 'token_type'] as const,
    buckets: [
      1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
    ],
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
