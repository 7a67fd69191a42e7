import type { ProviderName } from '../../contract/models.ts'

import { createMock } from './mock.ts'
import { ModelError } from './model.ts'
import type { Fetch, ProviderSettings } from './settings.ts'
import type { Source } from './source.ts'
import type { Sleep } from './waiting.ts'

export type AdapterParts = {
  readonly settings: () => ProviderSettings
  readonly fetch: Fetch
  readonly sleep: Sleep
}

/** Speaks to the provider; the policies are put around it. */
export function adapterOf(name: ProviderName, { sleep }: AdapterParts): Source {
  if (name === 'mock') return createMock({ sleep }).generate
  const next = () => Promise.reject(new ModelError('not_configured', `${name} cannot be called`))
  return () => ({ [Symbol.asyncIterator]: () => ({ next }) })
}
