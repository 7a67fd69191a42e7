import { linkOptions } from '@tanstack/react-router'
import type { AuditEntry } from '../../../../contract/system/audit.ts'
import { diffOf, releaseOf } from '../../../shared/releases/releases.ts'

/** Returns link options for an event: the comparison of a published version, otherwise the audit entry. */
export function eventLink(entry: AuditEntry) {
  const release = releaseOf(entry)
  return release === null
    ? linkOptions({ to: '/audit/{-$id}', params: { id: String(entry.id) } })
    : linkOptions({ to: '/prompts/$id', params: { id: release.id }, search: diffOf(release.version) })
}
