import { useQuery } from '@tanstack/react-query'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import { providerChoicesQuery } from './providers.ts'

const none: readonly ProviderChoice[] = []
const failingProvidersIn = (choices: readonly ProviderChoice[]) =>
  choices.filter(({ status }) => status === 'failing')

/** Returns the providers whose last check or call failed. */
export const useFailingProviders = (): readonly ProviderChoice[] =>
  useQuery({ ...providerChoicesQuery, select: failingProvidersIn }).data ?? none
