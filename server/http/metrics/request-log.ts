import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { StepResponse } from '../steps/request-state.ts'
import type { RequestMetrics } from './metrics.ts'

/** Records a finished request under /api or /gateway, or of telemetry, in the metrics and the log. */
export type RequestLog = (req: IncomingMessage, res: StepResponse) => void

export function createRequestLog(metrics: RequestMetrics, logger: Logger): RequestLog {
  return ({ method = 'GET' }, res) => {
    const { isApi, isGateway, isTelemetry, begunMs, pattern, requestId } = res.locals
    if (!isApi && !isGateway && !isTelemetry) return
    const ms = performance.now() - begunMs
    metrics.observe(method, pattern, res.statusCode, ms / 1000)
    logger.debug({ requestId, method, route: pattern, status: res.statusCode, ms }, 'request')
  }
}
