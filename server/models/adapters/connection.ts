import { ModelError } from '../model.ts'
import type { Fetch, ProviderSettings } from '../settings.ts'

/** What one try of a call reaches its provider with. Made for it, and gone with it. */
export type Connection = {
  readonly baseUrl: string
  readonly key: string | null
  readonly fetch: Fetch
}

/** The address and the key as they are now. */
export async function connect({ baseUrl, key, hasKey }: ProviderSettings, fetch: Fetch): Promise<Connection> {
  if (baseUrl === null) throw new ModelError('not_configured', 'The provider has no address')
  return { baseUrl: baseUrl.replace(/\/+$/, ''), key: hasKey ? await key() : null, fetch }
}

/** For a provider that takes no call without one. */
export function keyOf({ key }: Connection): string {
  if (key === null || key === '') throw new ModelError('not_configured', 'The provider has no key')
  return key
}
