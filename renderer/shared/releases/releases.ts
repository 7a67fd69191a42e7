import type { AuditEntry } from '../../../contract/system/audit.ts'

/** Summaries of audit entries about a served version: their texts before the key and patterns of the rest. */
const summaries: readonly (readonly [beforeKey: string, rest: RegExp])[] = [
  ['Published ', /^ (v\d+) in /],
  ['Changed and published ', /^ (v\d+) in /],
  ['Rolled back ', /^ in \w+ to v\d+, as (v\d+)/],
  ['Promoted ', /^ v\d+ from \w+ to \w+, as (v\d+)/],
  ['Created the prompt ', /^ in \w+ and published (v\d+)/],
  ['Imported ', /^ in \w+ and published (v\d+)/],
]

export type Release = { readonly id: string; readonly version: string }

/** Returns the version that an audit entry made the served one; null if the entry is about something else. */
export function releaseOf({ resource, resource_id: id, key, summary }: AuditEntry): Release | null {
  if (resource !== 'prompt' || id === null || key === null) return null
  // A key may contain spaces and look like the rest of a summary, so it is not matched by a pattern.
  for (const [beforeKey, rest] of summaries) {
    const beginning = beforeKey + key
    const version = summary.startsWith(beginning) && rest.exec(summary.slice(beginning.length))?.[1]
    if (version) return { id, version }
  }
  return null
}

/** Returns the version served before, or `none` before the first. Version numbers have no gaps. */
export function versionBefore(version: string): string {
  const number = Number(version.replace(/^v/, ''))
  return number > 1 ? `v${number - 1}` : 'none'
}

/** Returns the search parameters of a prompt's page that show what a version changed. */
export const diffOf = (version: string, from = versionBefore(version)) =>
  ({ tab: 'versions', from, to: version }) as const
