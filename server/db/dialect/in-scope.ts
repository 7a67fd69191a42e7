import { type Expression, type SqlBool, sql } from 'kysely'
import type { Scope } from '../../lib/context.ts'
import { visibleIds } from '../../lib/scope.ts'
import { always, never } from './expressions.ts'

/** Returns the condition that a column has the id of a workspace that exists for the caller, see lib/scope.ts. */
export function inScope(scope: Scope, column: string): Expression<SqlBool> {
  const ids = visibleIds(scope)
  if (ids === null) return always
  return ids.length === 0 ? never : sql<SqlBool>`${sql.ref(column)} in (${sql.join(ids)})`
}
