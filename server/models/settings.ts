import type { ProviderName } from '../../contract/models.ts'
import { providerFacts } from './providers.ts'

export type Fetch = typeof globalThis.fetch

/** A provider as it is set up now. Asked for at each call, so that a change counts from the next one on. */
export type ProviderSettings = {
  readonly isEnabled: boolean
  /** In force, the built-in one included; without a slash at its end. */
  readonly baseUrl: string | null
  readonly hasKey: boolean
  /** A key was set and can no longer be read. */
  readonly isKeyLost: boolean
  /** Called when a request is about to be sent; what it gives is held no longer than the call. Null: there is none. */
  readonly key: () => string | null | Promise<string | null>
  readonly models: readonly string[]
  readonly defaultModel: string | null
  readonly isLocal: boolean
  /** Calls at one time; more wait. Null: no limit. */
  readonly concurrency: number | null
}

/** Why it cannot be called and who changes that, or null. */
export function whyNotConfigured(name: ProviderName, settings: ProviderSettings): string | null {
  const { label, needsBaseUrl, needsKey } = providerFacts[name]
  if (!settings.isEnabled) return `${label} is switched off; an admin can switch it on`
  if (needsBaseUrl && settings.baseUrl === null) return `${label} has no address; an admin sets it`
  if (settings.isKeyLost) return `The key of ${label} cannot be read any more; an admin sets it again`
  if (needsKey && !settings.hasKey) return `${label} has no key; an admin sets it`
  return null
}
