import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { type PermissionOverrides, requireAccess } from '../access.ts'
import { requireStep, type Step } from './request-state.ts'

/** Returns the step that refuses a caller without the endpoint's permission. */
export function createAuthorize(overrides: PermissionOverrides) {
  return (endpoint: Endpoint): Step =>
    (_req, res, next) => {
      const { identity } = requireStep(res.locals.caller, 'authenticate')
      if (identity !== null) requireAccess(endpoint, identity, overrides)
      else if (endpoint.permission !== 'public') throw new Error(`${endpoint.path} has no caller`)
      next()
    }
}
