import type { Endpoint, Method } from '../common/endpoint.ts'

/**
 * Operations of model providers. `chat` and `embeddings` are model calls, each of which is a run. The others cost
 * nothing and are only passed on.
 */
export type GatewayOperation = 'chat' | 'embeddings' | 'count_tokens' | 'models'

/** A route below the base of a protocol. `{model}` in the path is a name without `:`. */
export type GatewayRoute = {
  readonly method: Extract<Method, 'GET' | 'POST'>
  readonly path: `/${string}`
  readonly operation: GatewayOperation
  readonly summary: string
}

/** A protocol: its base address in this service, and its routes. */
export type GatewayProtocol = {
  readonly label: string
  readonly base: `/gateway/${string}`
  /** Bases of other versions with the same routes. Their calls are sent to the address of the provider too. */
  readonly otherBases?: readonly `/gateway/${string}`[]
  readonly routes: readonly GatewayRoute[]
}

/** Returns all bases of a protocol. The first is `base`. */
export const gatewayBases = ({ base, otherBases = [] }: GatewayProtocol): readonly `/gateway/${string}`[] => [
  base,
  ...otherBases,
]

const listModels = { method: 'GET', path: '/models', operation: 'models', summary: 'List models' } as const
const getModel = {
  method: 'GET',
  path: '/models/{model}',
  operation: 'models',
  summary: 'Get a model',
} as const

/** The protocols of the gateway, by their name in the path. Provider and caller use the same one. */
export const gatewayProtocols = {
  openai: {
    label: 'OpenAI',
    base: '/gateway/openai/v1',
    routes: [
      { method: 'POST', path: '/chat/completions', operation: 'chat', summary: 'Create a chat completion' },
      { method: 'POST', path: '/responses', operation: 'chat', summary: 'Create a response' },
      { method: 'POST', path: '/embeddings', operation: 'embeddings', summary: 'Create embeddings' },
      listModels,
      getModel,
    ],
  },
  anthropic: {
    label: 'Anthropic',
    base: '/gateway/anthropic/v1',
    routes: [
      { method: 'POST', path: '/messages', operation: 'chat', summary: 'Create a message' },
      {
        method: 'POST',
        path: '/messages/count_tokens',
        operation: 'count_tokens',
        summary: 'Count the tokens of a message',
      },
      listModels,
      getModel,
    ],
  },
  gemini: {
    label: 'Gemini',
    base: '/gateway/gemini/v1beta',
    // The client of Google for Python uses it since its version 3.
    otherBases: ['/gateway/gemini/v1'],
    routes: [
      {
        method: 'POST',
        path: '/models/{model}:generateContent',
        operation: 'chat',
        summary: 'Generate content',
      },
      {
        method: 'POST',
        path: '/models/{model}:streamGenerateContent',
        operation: 'chat',
        summary: 'Generate content as a stream',
      },
      {
        method: 'POST',
        path: '/models/{model}:embedContent',
        operation: 'embeddings',
        summary: 'Create an embedding',
      },
      {
        method: 'POST',
        path: '/models/{model}:batchEmbedContents',
        operation: 'embeddings',
        summary: 'Create embeddings',
      },
      {
        method: 'POST',
        path: '/models/{model}:countTokens',
        operation: 'count_tokens',
        summary: 'Count tokens',
      },
      listModels,
      getModel,
    ],
  },
  ollama: {
    label: 'Ollama',
    base: '/gateway/ollama/api',
    routes: [
      { method: 'POST', path: '/chat', operation: 'chat', summary: 'Create a chat completion' },
      { method: 'POST', path: '/generate', operation: 'chat', summary: 'Generate a completion' },
      { method: 'POST', path: '/embed', operation: 'embeddings', summary: 'Create embeddings' },
      { method: 'GET', path: '/tags', operation: 'models', summary: 'List models' },
    ],
  },
} as const satisfies Record<string, GatewayProtocol>

export type GatewayProtocolName = keyof typeof gatewayProtocols

/** The headers of the gateway, which are not sent to providers. */
export const gatewayHeaders = {
  /** The API token, if the client's usual header contains the caller's own provider key. */
  token: 'Promptdeck-Token',
  provider: 'Promptdeck-Provider',
  workspace: 'Promptdeck-Workspace',
  /** `key` or `key@version` of the prompt that the call is for. */
  prompt: 'Promptdeck-Prompt',
  env: 'Promptdeck-Env',
  session: 'Promptdeck-Session',
  /** Separated by commas. */
  tags: 'Promptdeck-Tags',
  /** In the reply: the id of the call, which `GET /api/runs/:id` accepts. */
  runId: 'Promptdeck-Run-Id',
} as const

/** Access to the gateway: API tokens with the permission, and the service token. */
export const gatewayAccess = {
  permission: 'gateway.use',
  workspaces: 'input',
  forApps: true,
} as const satisfies Partial<Endpoint>

/**
 * The prefix of a model name that selects a prompt: `promptdeck/<key>@<env>`. Without `@<env>`, the
 * environment is that of the request or of its token, else `prod`.
 */
export const servedModelPrefix = 'promptdeck/'
/** The field of a request with the values of the prompt's variables; `metadata.variables` has the same meaning. */
export const variablesField = 'promptdeck_variables'

/** The source of runs of the gateway. */
export const gatewaySource = 'gateway'
