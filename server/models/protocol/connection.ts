import { ModelError } from '../model.ts'
import type { Fetch, ProviderSettings } from '../settings.ts'

/** The address, key and `fetch` of one attempt of a call. Created for each attempt. */
export type Connection = {
  readonly baseUrl: string
  readonly key: string | null
  readonly fetch: Fetch
}

/** Returns a connection with the current address and key. Throws `not_configured` if there is no address. */
export async function connect({ baseUrl, key, hasKey }: ProviderSettings, fetch: Fetch): Promise<Connection> {
  if (baseUrl === null) throw new ModelError('not_configured', 'The provider has no address')
  return { baseUrl: baseUrl.replace(/\/+$/, ''), key: hasKey ? await key() : null, fetch }
}

/** Returns the key. Throws `not_configured` if there is none. */
export function keyOf({ key }: Connection): string {
  if (key === null || key === '') throw new ModelError('not_configured', 'The provider has no key')
  return key
}
