import type { ProviderName } from '../../contract/models.ts'

/** The built-in facts about a provider; an admin's settings override them. */
export type ProviderFacts = {
  readonly label: string
  /** Null: the provider has no address (`mock`), or none that can be a default. */
  readonly baseUrl: string | null
  readonly needsBaseUrl: boolean
  readonly needsKey: boolean
  /** True if it runs on this machine or network, unless an admin changes it. */
  readonly isLocal: boolean
  readonly models: readonly string[]
  readonly defaultModel: string | null
  /** Concurrent calls; null: no limit. */
  readonly concurrency: number | null
}

const remote = { needsBaseUrl: true, needsKey: true, isLocal: false, concurrency: 16 }
const local = { needsBaseUrl: true, needsKey: false, isLocal: true, concurrency: 16 }

export const providerFacts: Readonly<Record<ProviderName, ProviderFacts>> = {
  mock: {
    label: 'Mock (offline)',
    baseUrl: null,
    needsBaseUrl: false,
    needsKey: false,
    isLocal: true,
    models: ['mock-small', 'mock-large'],
    defaultModel: 'mock-small',
    concurrency: null,
  },
  openai: {
    ...remote,
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    models: ['gpt-4o', 'gpt-4o-mini'],
    defaultModel: 'gpt-4o-mini',
  },
  claude: {
    ...remote,
    label: 'Anthropic Claude',
    baseUrl: 'https://api.anthropic.com/v1',
    models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
    defaultModel: 'claude-haiku-4-5',
  },
  gemini: {
    ...remote,
    label: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
    defaultModel: 'gemini-2.5-flash',
  },
  ollama: { ...local, label: 'Ollama', baseUrl: 'http://127.0.0.1:11434', models: [], defaultModel: null },
  'openai-compatible': {
    ...local,
    label: 'OpenAI-compatible',
    // Its location is unknown until an admin sets it; until then it does not count as local.
    isLocal: false,
    baseUrl: null,
    models: [],
    defaultModel: null,
  },
}
