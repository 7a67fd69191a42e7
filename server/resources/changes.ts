import type { Context } from '../lib/context.ts'
import { requireMatch } from './precondition.ts'

/** Returns epoch milliseconds as the API writes them. */
export const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Returns the columns of a new resource that show who created it. `revision` rises with every change. */
export const firstState = ({ actor, now }: Context) => ({
  revision: 1,
  created_by: actor.name,
  updated_by: actor.name,
  created_at: now.getTime(),
  updated_at: now.getTime(),
})

/** Returns the columns that every change sets. */
export const nextState = ({ actor, now }: Context, row: { readonly revision: number }) => ({
  revision: row.revision + 1,
  updated_by: actor.name,
  updated_at: now.getTime(),
})

/** Returns the columns of a new version that show who created it. */
export const versionState = ({ actor, now }: Context) => ({
  created_by: actor.name,
  created_at: now.getTime(),
})

/** Throws 412 if `If-Match` does not name the current state. */
export function requireState(
  ifMatch: string | null,
  etag: string,
  row: { readonly updated_by: string; readonly updated_at: number },
): void {
  requireMatch(ifMatch, etag, { by: row.updated_by, at: new Date(row.updated_at) })
}

/** Returns the summary of an audit entry with the author's message. */
export const summaryWith = (summary: string, message: string): string =>
  message === '' ? summary : `${summary}: ${message}`
