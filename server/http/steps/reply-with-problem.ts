import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import { protocolOf } from '../../gateway/protocols/protocols.ts'
import { isStopping, type Problem } from '../../lib/fail.ts'
import type { RequestLog } from '../metrics/request-log.ts'
import { toProblem } from '../problem.ts'
import { sendProtocolError } from '../reply/protocol-error.ts'
import { sendProblem } from '../reply/send.ts'
import { apiHeaders } from '../security-headers.ts'
import type { StepResponse } from './request-state.ts'

export type ReplyWithProblem = (error: unknown, req: IncomingMessage, res: StepResponse) => Promise<void>

/** Converts an error to a problem and logs it if it is the fault of the service or a provider. */
export type LogProblem = (error: unknown, req: IncomingMessage, res: StepResponse) => Problem

/**
 * Creates the function that logs problems. Of the requests that fail because the service stops, only
 * the first is logged, as a warning.
 */
export function createLogProblem(logger: Logger): LogProblem {
  let isStopLogged = false
  const logStop = (requestId: string) => {
    if (isStopLogged) return
    isStopLogged = true
    logger.warn({ requestId }, 'The service stops, so requests that are still running fail.')
  }
  return (error, req, res) => {
    const problem = toProblem(error)
    const { requestId, isApi } = res.locals
    // Failures of providers are in the run log. Their cause may contain what was sent, so it is not logged.
    if (problem.code === 'provider.failed') logger.warn({ requestId }, problem.message)
    else if (isStopping(problem)) logStop(requestId)
    else if (problem.status >= 500)
      logger.error({ err: problem.extra.cause ?? problem, requestId }, problem.message)
    // A page may have set its own content security policy before it failed. Replace it.
    if (!isApi && !res.headersSent) apiHeaders(req, res, () => undefined)
    return problem
  }
}

/** Creates the function that replies to any error of a request with problem+json. */
export function createReplyWithProblem(
  logProblem: LogProblem,
  logger: Logger,
  log: RequestLog,
): ReplyWithProblem {
  return async (error, req, res) => {
    const problem = logProblem(error, req, res)
    const { requestId, path } = res.locals
    const protocol = protocolOf(path)
    const sent =
      protocol === null ? sendProblem(req, res, problem) : sendProtocolError(req, res, protocol, problem)
    await sent.catch((err: unknown) => logger.warn({ err, requestId }, 'reply lost'))
    log(req, res)
  }
}
