import type { AccessRule } from '../../../contract/common/endpoint.ts'
import { scopeOf } from '../../lib/scope.ts'
import { type PermissionOverrides, requireAccess, roleOf } from '../access.ts'
import { requireStep, type Step } from './request-state.ts'

/** Returns the step that refuses a caller without the endpoint's permission. */
export function createAuthorize(overrides: PermissionOverrides) {
  return (endpoint: AccessRule): Step =>
    (_req, res, next) => {
      const caller = requireStep(res.locals.caller, 'authenticate')
      const { identity, context } = caller
      if (identity !== null) {
        requireAccess(endpoint, identity, overrides)
        const scope = scopeOf(identity.actor, roleOf(endpoint, overrides))
        res.locals.caller = { ...caller, context: { ...context, scope } }
      } else if (endpoint.permission !== 'public')
        throw new Error('A request that is not public has no caller')
      next()
    }
}
