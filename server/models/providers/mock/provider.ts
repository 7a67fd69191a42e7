import { freePrices, type Provider } from '../../provider.ts'
import { createMock } from './adapter.ts'

/** The provider that runs inside the service, without a network. */
export const mock: Provider = {
  label: 'Mock (offline)',
  kind: 'mock',
  baseUrl: null,
  needsBaseUrl: false,
  needsKey: false,
  isLocal: true,
  models: ['mock-small', 'mock-large'],
  defaultModel: 'mock-small',
  concurrency: null,
  unsupportedParams: [],
  hasLeadingInstructions: false,
  isFree: true,
  prices: { names: ['mock'], models: freePrices },
  keyHeaders: () => ({}),
  modelList: null,
  // It fails only on request, so another attempt would fail too.
  isRetryable: false,
  adapter: createMock,
}
