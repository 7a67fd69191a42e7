import { isDeepStrictEqual } from 'node:util'
import type { Provider } from '../../../contract/models/providers.ts'
import { capitalize } from '../../lib/text/capitalize.ts'
import type { ProviderRow } from './providers.store.ts'

/** Returns true if two rows are equal except for author and time. */
export function isSameRow(a: ProviderRow, b: ProviderRow): boolean {
  const settings = ({ updated_at: _at, updated_by: _by, ...rest }: ProviderRow) => rest
  return isDeepStrictEqual(settings(a), settings(b))
}

const settingFields = [
  'label',
  'base_url',
  'models',
  'default_model',
  'enabled',
  'local',
  'concurrency',
] as const

type OtherChanges = { readonly isPriced: boolean; readonly isKeyDropped: boolean }

/** Returns the description of a change for the audit log. */
export function summaryOf(
  before: Provider,
  after: Provider,
  { isPriced, isKeyDropped }: OtherChanges,
): string {
  const changed: string[] = settingFields.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  if (isPriced) changed.push('prices')
  const parts: string[] = []
  if (changed.length > 0) parts.push(`changed ${changed.join(', ')}`)
  if (isKeyDropped) parts.push('deleted the key, because the host changed')
  else if (before.key_set_at !== after.key_set_at) {
    if (after.key_set_at === null) parts.push('removed the key')
    else parts.push(before.key_set_at === null ? 'set a key' : 'replaced the key')
  }
  // A setting may be stored that equals its default.
  const sentence = parts.length === 0 ? 'changed the settings' : parts.join(' and ')
  return `${capitalize(sentence)} of the provider ${after.label}`
}

export const createdSummary = (label: string, name: string): string => `Added the provider ${label} (${name})`

export function removedSummary(
  label: string,
  { isBuiltIn, hadKey }: { readonly isBuiltIn: boolean; readonly hadKey: boolean },
): string {
  if (isBuiltIn) return `Reset the provider ${label} to its defaults${hadKey ? ' and deleted its key' : ''}`
  return `Deleted the provider ${label}${hadKey ? ' and its key' : ''}`
}
