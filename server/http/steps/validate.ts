import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { parseInput, readBody } from './input.ts'
import type { Step } from './request-state.ts'

/** Returns the step that reads the body and validates path, query and body against the endpoint. */
export function validate(endpoint: Endpoint): Step {
  return async (req, res, next) => {
    const body = req.method === 'GET' || req.method === 'HEAD' ? undefined : await readBody(req, endpoint)
    const search = new URLSearchParams(res.locals.search)
    const parsed = parseInput(endpoint, { params: req.params, search, body })
    const ifMatch = endpoint.etag ? (req.headers['if-match'] ?? null) : null
    res.locals.valid = { input: { ...parsed, ifMatch }, body }
    next()
  }
}
