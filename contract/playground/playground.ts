import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { clearable, Id, item } from '../common/fields.ts'
import { isPlaceholder } from '../models/chat.ts'
import {
  CaptureMode,
  ChatMessage,
  ChatMessages,
  JsonSchema,
  ModelName,
  ModelParams,
  ModelResult,
  offlineProvider,
  ToolDeclarations,
} from '../models/models.ts'
import { ProviderChoice } from '../models/provider-choice.ts'
import { Content, MessagesInput, VersionInput } from '../prompts/prompt.ts'
import { maxMessages, PlaceholderValues, PromptMessage } from '../prompts/prompt-chat.ts'
import { ParamsInput } from '../prompts/prompt-params.ts'
import { Run, runContextFields, runExample } from '../runs/run.ts'

/** The fields of a model call, in the Playground and in steps that call a model. */
const callFields = {
  provider: z.string().min(1).max(64).default(offlineProvider),
  model: clearable(ModelName),
  params: ModelParams.default({}),
  messages: ChatMessages.default([]).meta({ description: 'Sent unchanged before the prompt' }),
  tools: ToolDeclarations.default([]),
  response_schema: clearable(JsonSchema),
}

const VariableValues = z.record(z.string().min(1).max(128), z.unknown()).default({}).meta({
  description: 'Values by name; `{{customer.name}}` is looked up by this name, or in an object `customer`',
})

/** The fields that every run has in common. */
export const runFields = {
  variables: VariableValues,
  placeholders: PlaceholderValues,
  capture: CaptureMode.optional().meta({
    description: 'Capture less of the input and output than the workspace; never more',
  }),
  stream: z.boolean().default(false),
  ...runContextFields,
}

const rejectedMessage = 'Keys and addresses belong to the provider settings, which an admin changes'
const Rejected = z.undefined(rejectedMessage).optional()

export const PlaygroundBody = z
  .strictObject({
    id: Id.optional().meta({ description: 'ID of a prompt; otherwise set `content`' }),
    version: z
      .union([z.literal('draft'), VersionInput])
      .optional()
      .meta({
        description:
          'Version of the prompt: `draft`, or a label such as `v3`. By default the draft, or the served text if there is no draft',
      }),
    content: Content.optional(),
    workspace_id: z.string().min(1).max(64).optional().meta({
      description: 'Workspace of a run with `content`: id or slug; `default` by default',
    }),
    ...callFields,
    messages: z.array(PromptMessage).max(maxMessages).default([]).meta({
      description:
        'With `id` or `content`: sent unchanged before the prompt. Otherwise the chat prompt to run: variables and placeholders are replaced',
    }),
    prompt_params: ParamsInput.optional().meta({
      description:
        'Only without `id`: parameters of the text or chat, as a prompt has them. `params`, `tools` and `response_schema` take precedence',
    }),
    ...runFields,
    api_key: Rejected,
    base_url: Rejected,
  })
  .refine(
    ({ id, content, messages }) =>
      id === undefined ? content !== undefined || messages.length > 0 : content === undefined,
    { path: ['content'], message: 'Set one of `id`, `content` and `messages`' },
  )
  .refine(({ id, prompt_params }) => id === undefined || prompt_params === undefined, {
    path: ['prompt_params'],
    message: 'A prompt has its own parameters; set `params`',
  })
  .superRefine(({ id, content, messages }, issues) => {
    if (id === undefined && content === undefined) {
      for (const { path, message } of MessagesInput.safeParse(messages).error?.issues ?? [])
        issues.addIssue({ code: 'custom', path: ['messages', ...path], message })
      return
    }
    for (const [index, message] of messages.entries()) {
      if (!isPlaceholder(message)) continue
      const hint = 'Only the messages of a chat prompt have placeholders'
      issues.addIssue({ code: 'custom', path: ['messages', index, 'placeholder'], message: hint })
    }
  })

/**
 * The reply of a run. A streamed run sends these events in this order: any number of `delta` and `tool_call`,
 * then one `done` or one `error`.
 *
 * - `delta`: {text}
 * - `tool_call`: {id, name, arguments}
 * - `done`: the reply
 * - `error`: problem details with `rendered`
 */
export const RunReply = z.object({
  rendered: z.string().meta({ description: 'The rendered text, or the rendered messages as text' }),
  messages: z.array(ChatMessage).meta({ description: 'All messages that were sent, in order' }),
  result: ModelResult,
  run: Run,
})
export type RunReply = z.infer<typeof RunReply>

const tag = 'Playground'
const permission = 'resources.run'
export const runReplyExample: z.input<typeof RunReply> = {
  rendered: 'Hi world',
  messages: [{ role: 'user', content: 'Hi world' }],
  result: {
    provider: 'mock',
    model: 'mock-small',
    output: 'mock completion (mock-small): Hi world',
    tool_calls: [],
    finish_reason: 'stop',
  },
  run: {
    ...runExample,
    source: 'playground',
    provider: 'mock',
    model: 'mock-small',
    prompt_tokens: 2,
    output_tokens: 8,
    total_tokens: 10,
    cached_tokens: null,
    tokens_estimated: true,
    cost_usd: 0,
    reported: false,
  },
}

export const playground = {
  providers: endpoint({
    tag,
    method: 'GET',
    path: '/api/playground/providers',
    workspaces: 'none',
    summary: 'List model providers and whether they can be called',
    permission: 'resources.read',
    reply: item(z.array(ProviderChoice)),
    example: {
      reply: {
        data: [
          {
            name: 'mock',
            label: 'Mock (offline)',
            kind: 'mock',
            models: ['mock-small', 'mock-large'],
            default_model: 'mock-small',
            configured: true,
            reason: null,
            local: true,
            built_in: true,
            status: 'ready',
            checked_at: null,
            checked_by: null,
            latency_ms: null,
            failing_since: null,
            error: null,
          },
        ],
      },
    },
  }),
  run: endpoint({
    tag,
    method: 'POST',
    path: '/api/playground/run',
    workspaces: 'input',
    summary: 'Run a prompt, a custom text or messages on a model',
    description:
      'With `stream: true` the reply is `text/event-stream`: `delta` {text} and `tool_call` as they occur, then `done` with the complete reply, or `error` with problem details.',
    permission,
    idempotent: 'private',
    body: PlaygroundBody,
    reply: RunReply,
    replyAs: 'stream',
    problems: ['not_found', 'provider.failed', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { content: 'Hi {{who}}', variables: { who: 'world' }, provider: 'mock' },
      reply: runReplyExample,
    },
  }),
}
