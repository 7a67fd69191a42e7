import type { ProviderName } from '../../contract/models.ts'

/** What is built in about a provider; an admin's settings go over it. */
export type ProviderFacts = {
  readonly label: string
  /** Null: it has no address (`mock`), or none that could be guessed. */
  readonly baseUrl: string | null
  readonly needsBaseUrl: boolean
  readonly needsKey: boolean
  /** Runs on this machine or network unless an admin says otherwise. */
  readonly isLocal: boolean
  readonly models: readonly string[]
  readonly defaultModel: string | null
  /** Calls at one time; null: no limit. */
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
    // Only an admin knows where it is; until one says so, it is not on this network.
    isLocal: false,
    baseUrl: null,
    models: [],
    defaultModel: null,
  },
}
