import type { Provider } from './provider.ts'
import type { ProviderSettings } from './settings.ts'

/** Returns why the provider cannot be called and who can change that, or null. */
export function configurationProblem(
  { label, needsBaseUrl, needsKey }: Pick<Provider, 'label' | 'needsBaseUrl' | 'needsKey'>,
  settings: Pick<ProviderSettings, 'isEnabled' | 'baseUrl' | 'isKeyLost' | 'hasKey'>,
): string | null {
  if (!settings.isEnabled) return `${label} is disabled; an admin can enable it`
  if (needsBaseUrl && settings.baseUrl === null) return `${label} has no address; an admin must set it`
  if (settings.isKeyLost) return `The key of ${label} cannot be read; an admin must enter it again`
  if (needsKey && !settings.hasKey) return `${label} has no API key; an admin must set it`
  return null
}
