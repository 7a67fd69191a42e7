import type { AuditEntry } from '../../../contract/system/audit.ts'

/**
 * Patterns of audit summaries about a served version. A key contains no space, so no text of a user can
 * precede the version.
 */
const servedPatterns = [
  /^Published \S+ (v\d+) in /,
  /^Rolled back \S+ in \w+ to v\d+, as (v\d+)/,
  /^Promoted \S+ v\d+ from \w+ to \w+, as (v\d+)/,
  /^(?:Created the prompt|Imported) \S+ in \w+ and published (v\d+)/,
]

export type Release = { readonly id: string; readonly version: string }

/** Returns the version that an audit entry made the served one; null if the entry is about something else. */
export function releaseOf({ resource, resource_id: id, summary }: AuditEntry): Release | null {
  if (resource !== 'prompt' || id === null) return null
  const version = servedPatterns
    .map((pattern) => pattern.exec(summary)?.[1])
    .find((found) => found !== undefined)
  return version === undefined ? null : { id, version }
}

/** Returns the version served before, or `none` before the first. Version numbers have no gaps. */
export function versionBefore(version: string): string {
  const number = Number(version.replace(/^v/, ''))
  return number > 1 ? `v${number - 1}` : 'none'
}

/** Returns the search parameters of a prompt's page that show what a version changed. */
export const diffOf = (version: string, from = versionBefore(version)) =>
  ({ tab: 'versions', from, to: version }) as const
