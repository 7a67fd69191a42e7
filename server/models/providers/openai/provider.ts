import { openAiModelList } from '../../model-list.ts'
import { lazyAiSdkSource } from '../../protocol/lazy-ai-sdk.ts'
import { type Provider, remote } from '../../provider.ts'
import { prices } from './prices.ts'

export const openai: Provider = {
  ...remote,
  label: 'OpenAI',
  kind: 'openai',
  baseUrl: 'https://api.openai.com/v1',
  models: ['gpt-4o', 'gpt-4o-mini'],
  defaultModel: 'gpt-4o-mini',
  unsupportedParams: ['top_k', 'mock'],
  prices: { names: ['openai'], models: prices },
  modelList: openAiModelList,
  adapter: lazyAiSdkSource(async () => (await import('./adapter.ts')).openai),
}
