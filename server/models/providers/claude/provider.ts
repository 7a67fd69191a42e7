import { readIds } from '../../model-list.ts'
import { lazyAiSdkSource } from '../../protocol/lazy-ai-sdk.ts'
import { type Provider, remote } from '../../provider.ts'
import { prices } from './prices.ts'

const label = 'Anthropic Claude'

const keyHeaders = (key: string | null): Record<string, string> => (key === null ? {} : { 'x-api-key': key })

export const claude: Provider = {
  ...remote,
  label,
  kind: 'anthropic',
  baseUrl: 'https://api.anthropic.com/v1',
  models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  defaultModel: 'claude-haiku-4-5',
  unsupportedParams: ['seed', 'frequency_penalty', 'presence_penalty', 'mock'],
  hasLeadingInstructions: true,
  refusalOf({ params }) {
    if ((params.temperature ?? 0) > 1) return `${label} supports a temperature of at most 1`
    if (params.temperature !== undefined && params.top_p !== undefined) {
      return `${label} supports either temperature or top_p, not both`
    }
    return null
  },
  prices: { names: ['claude', 'anthropic'], models: prices },
  keyHeaders,
  modelList: {
    path: '/models?limit=200',
    // The API requires a version and replies with 400 without it.
    headers: (key) => ({ 'anthropic-version': '2023-06-01', ...keyHeaders(key) }),
    read: readIds,
  },
  adapter: lazyAiSdkSource(async () => (await import('./adapter.ts')).claude),
}
