import type { ProviderName } from '../../contract/models.ts'
import { providerFacts } from './providers.ts'

export type Fetch = typeof globalThis.fetch

/** The current settings of a provider. Read for each call, so that a change applies to the next call. */
export type ProviderSettings = {
  readonly isEnabled: boolean
  /** The address in use, the built-in one included, without a slash at the end. */
  readonly baseUrl: string | null
  readonly hasKey: boolean
  /** True if a key was set that can no longer be decrypted. */
  readonly isKeyLost: boolean
  /** Called just before a request is sent. The key is kept no longer than the call. Null: there is no key. */
  readonly key: () => string | null | Promise<string | null>
  readonly models: readonly string[]
  readonly defaultModel: string | null
  readonly isLocal: boolean
  /** Concurrent calls; further calls wait. Null: no limit. */
  readonly concurrency: number | null
}

/** Returns why the provider cannot be called and who can change that, or null. */
export function whyNotConfigured(name: ProviderName, settings: ProviderSettings): string | null {
  const { label, needsBaseUrl, needsKey } = providerFacts[name]
  if (!settings.isEnabled) return `${label} is switched off; an admin can switch it on`
  if (needsBaseUrl && settings.baseUrl === null) return `${label} has no address; an admin sets it`
  if (settings.isKeyLost) return `The key of ${label} cannot be read any more; an admin sets it again`
  if (needsKey && !settings.hasKey) return `${label} has no key; an admin sets it`
  return null
}
