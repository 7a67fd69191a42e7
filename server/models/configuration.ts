import type { ProviderName } from '../../contract/models.ts'
import { providers } from './providers.ts'
import type { ProviderSettings } from './settings.ts'

/** Returns why the provider cannot be called and who can change that, or null. */
export function whyNotConfigured(name: ProviderName, settings: ProviderSettings): string | null {
  const { label, needsBaseUrl, needsKey } = providers[name]
  if (!settings.isEnabled) return `${label} is switched off; an admin can switch it on`
  if (needsBaseUrl && settings.baseUrl === null) return `${label} has no address; an admin sets it`
  if (settings.isKeyLost) return `The key of ${label} cannot be read any more; an admin sets it again`
  if (needsKey && !settings.hasKey) return `${label} has no key; an admin sets it`
  return null
}
