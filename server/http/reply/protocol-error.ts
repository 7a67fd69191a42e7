import type { IncomingMessage } from 'node:http'
import type { ProblemCode } from '../../../contract/common/problem.ts'
import type { Protocol } from '../../gateway/protocols/protocol.ts'
import type { Problem } from '../../lib/fail.ts'
import { problemHeaders } from '../problem.ts'
import type { StepResponse } from '../steps/request-state.ts'
import { sendJson } from './send.ts'

/** Statuses of an invalid request. Clients of the protocols expect 400 for all of them. */
const invalidStatuses: ReadonlySet<number> = new Set([415, 421, 422])

/** A caller of the gateway has no sign-in, but an API key that it takes for one of the provider. */
const tokenMessages: Partial<Record<ProblemCode, string>> = {
  'auth.required': 'Send an API token of Promptdeck as the API key. An admin creates one under API tokens.',
  'auth.invalid_token':
    'The API key is not a valid API token of Promptdeck. An admin creates one under API tokens.',
}

/** Seconds that clients of the protocols wait at most before they try again. */
const longestWait = 60

/** Returns true if the clients would try again too early: a budget is used up for the day. */
const isLongWait = ({ code, extra }: Problem): boolean =>
  code === 'budget.used_up' && (extra.retryAfter ?? 0) > longestWait

/**
 * Sends an error in the form of the protocol, so that its clients understand it. If a reply was already begun, closes
 * the connection instead. `isFinal`: another attempt would fail too, which a header states for two of the clients.
 */
export async function sendProtocolError(
  req: IncomingMessage,
  res: StepResponse,
  protocol: Protocol,
  problem: Problem,
  isFinal = false,
): Promise<void> {
  if (res.headersSent) {
    res.destroy(problem)
    return
  }
  const { requestId } = res.locals
  const status = invalidStatuses.has(problem.status) ? 400 : problem.status
  const { 'www-authenticate': _challenge, ...headers } = problemHeaders(problem)
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  if (isFinal || isLongWait(problem)) res.setHeader('x-should-retry', 'false')
  if (!req.complete) res.setHeader('connection', 'close')
  const { code } = problem
  const message = (problem.extra.detail === undefined ? tokenMessages[code] : undefined) ?? problem.message
  await sendJson(req, res, status, JSON.stringify(protocol.errorBody({ status, code, message, requestId })))
}
