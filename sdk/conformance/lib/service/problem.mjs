import { randomUUID } from 'node:crypto'

/** Status and title of the problems that the fault server uses, as in the service's contract. */
const problems = {
  'request.malformed': [400, 'The request could not be read'],
  'auth.required': [401, 'Sign-in required'],
  'auth.invalid_token': [401, 'The token is not valid'],
  'auth.forbidden': [403, 'Not allowed'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'Method not allowed'],
  'request.too_large': [413, 'The request is too large'],
  'request.unsupported_media_type': [415, 'Unsupported media type'],
  'request.invalid': [422, 'The request is not valid'],
  rate_limited: [429, 'Too many requests'],
  internal: [500, 'Internal error'],
  'provider.failed': [502, 'The model provider failed'],
  'store.unavailable': [503, 'The store is not available'],
  'store.full': [507, 'The store is full'],
}

/** An error that the server returns as RFC 9457 problem details. */
export class Problem extends Error {
  /** @param {string[]} allow methods of the route, for a 405 */
  constructor(code, detail, extra = {}, allow = ['GET']) {
    super(detail ?? problems[code][1])
    this.code = code
    this.status = problems[code][0]
    this.extra = extra
    this.allow = allow
  }
}

export function problemOfStatus(status) {
  const code = Object.keys(problems).find((name) => problems[name][0] === status) ?? 'internal'
  const problem = new Problem(code)
  problem.status = status
  return problem
}

/** Returns `{status, headers, body}` of a problem, with a new request ID in headers and body. */
export function problemReply(problem, instance) {
  const requestId = `req_${randomUUID()}`
  const body = {
    type: `urn:problem:${problem.code}`,
    title: problems[problem.code][1],
    status: problem.status,
    detail: problem.message,
    instance,
    code: problem.code,
    request_id: requestId,
    error: problem.message,
    ...problem.extra,
  }
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'x-request-id': requestId,
    'cache-control': 'no-store',
    ...(problem.status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(problem.status === 405 && { allow: problem.allow.join(', ') }),
  }
  return { status: problem.status, headers, body: JSON.stringify(body) }
}
