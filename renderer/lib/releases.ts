import type { AuditEntry } from '../../contract/audit.ts'

/**
 * How the service says that a version came into service. Its key holds no space, so nothing a person wrote can stand
 * before the version.
 */
const sayings = [
  /^Published \S+ (v\d+) in /,
  /^Rolled back \S+ in \w+ to v\d+, as (v\d+)/,
  /^Promoted \S+ v\d+ from \w+ to \w+, as (v\d+)/,
  /^(?:Created the prompt|Imported) \S+ in \w+ and published (v\d+)/,
]

export type Release = { readonly id: string; readonly version: string }

/** The version an audit entry brought into service; null when it is about something else. */
export function releaseOf({ resource, resource_id: id, summary }: AuditEntry): Release | null {
  if (resource !== 'prompt' || id === null) return null
  const version = sayings.map((saying) => saying.exec(summary)?.[1]).find((found) => found !== undefined)
  return version === undefined ? null : { id, version }
}

/** What was served before a version: versions have no gaps, and before the first there was nothing. */
export function versionBefore(version: string): string {
  const number = Number(version.replace(/^v/, ''))
  return number > 1 ? `v${number - 1}` : 'none'
}

/** The address of what a version changed, as the page of its prompt takes it. */
export const diffOf = (version: string, from = versionBefore(version)) =>
  ({ tab: 'versions', from, to: version }) as const
