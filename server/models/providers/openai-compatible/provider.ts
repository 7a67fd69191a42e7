import { openAiModelList } from '../../model-list.ts'
import { lazyAiSdkSource } from '../../protocol/lazy-ai-sdk.ts'
import { type Provider, selfHosted } from '../../provider.ts'

/** Its location is unknown until an admin sets it; until then it does not count as local. */
export const openaiCompatible: Provider = {
  ...selfHosted,
  label: 'OpenAI-compatible',
  kind: 'openai',
  baseUrl: null,
  models: [],
  defaultModel: null,
  unsupportedParams: ['mock'],
  prices: null,
  modelList: openAiModelList,
  adapter: lazyAiSdkSource(async () => (await import('./adapter.ts')).openaiCompatible),
}
