import type { ProviderName } from '../../contract/models/models.ts'
import { providers } from './providers.ts'
import type { ProviderSettings } from './settings.ts'

/** Returns why the provider cannot be called and who can change that, or null. */
export function configurationProblem(name: ProviderName, settings: ProviderSettings): string | null {
  const { label, needsBaseUrl, needsKey } = providers[name]
  if (!settings.isEnabled) return `${label} is disabled; an admin can enable it`
  if (needsBaseUrl && settings.baseUrl === null) return `${label} has no address; an admin must set it`
  if (settings.isKeyLost) return `The key of ${label} cannot be read; an admin must enter it again`
  if (needsKey && !settings.hasKey) return `${label} has no API key; an admin must set it`
  return null
}
