import { fail } from '../lib/fail.ts'

/**
 * Throws 412 unless `If-Match` names the current state. A missing header always matches. Only strong tags
 * match (RFC 9110, section 13.1.1).
 */
export function requireMatch(ifMatch: string | null, etag: string, changed: { by: string; at: Date }): void {
  if (ifMatch === null) return
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  if (tags.includes('*') || tags.includes(etag)) return
  const message = `It was changed by ${changed.by} at ${changed.at.toISOString()}; the state is ${etag} now`
  throw fail('precondition.failed', {
    detail: `${message}. Read it again, then repeat the change.`,
    errors: [{ path: 'If-Match', message }],
  })
}
