import { isDeepStrictEqual } from 'node:util'
import type { Provider } from '../../../contract/providers.ts'
import type { ProviderRow } from './providers.store.ts'

/** Returns true if two rows are equal except for author and time. */
export function isSameRow(a: ProviderRow, b: ProviderRow): boolean {
  const said = ({ updated_at: _at, updated_by: _by, ...rest }: ProviderRow) => rest
  return isDeepStrictEqual(said(a), said(b))
}

const named = ['base_url', 'models', 'default_model', 'enabled', 'local', 'concurrency'] as const

type Besides = { readonly isPriced: boolean; readonly isKeyDropped: boolean }

/** Returns the description of a change for the audit log. */
export function summaryOf(before: Provider, after: Provider, { isPriced, isKeyDropped }: Besides): string {
  const changed: string[] = named.filter((field) => !isDeepStrictEqual(before[field], after[field]))
  if (isPriced) changed.push('prices')
  const words: string[] = []
  if (changed.length > 0) words.push(`changed ${changed.join(', ')}`)
  if (isKeyDropped) words.push('dropped the key, for the host is another')
  else if (before.key_set_at !== after.key_set_at) {
    if (after.key_set_at === null) words.push('removed the key')
    else words.push(before.key_set_at === null ? 'set a key' : 'replaced the key')
  }
  const sentence = words.join(' and ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} of the provider ${after.label}`
}
