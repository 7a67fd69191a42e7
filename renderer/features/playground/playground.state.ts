import { z } from 'zod'
import { chatText } from '../../../contract/models/chat.ts'
import { CaptureMode, type ChatMessage, messageRoles, ToolCall } from '../../../contract/models/models.ts'
import { Variable } from '../../../contract/prompts/prompt.ts'
import type { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { Run } from '../../../contract/runs/run.ts'

/** Maximum number of columns, each with one model or version. */
export const maxColumns = 4

const Column = z.object({
  id: z.string(),
  /** Empty for the first configured provider. */
  provider: z.string(),
  /** Empty for the provider's default model. */
  model: z.string(),
  /** A version of the open prompt, `draft` or `v3`; null for the text in the prompt panel. */
  version: z.string().nullable(),
  /** Text as typed, by name of the parameter, such as `temperature` or `mock.fail`. */
  params: z.record(z.string(), z.string()),
})
export type Column = z.infer<typeof Column>

/** A message being edited. Its fields are validated as a `ChatMessage` before a run. */
const Message = z.object({
  id: z.string(),
  role: z.enum(messageRoles),
  content: z.string(),
  tool_calls: z.array(ToolCall).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
})
export type Message = z.infer<typeof Message>

export const sentMessage = ({ id: _id, ...message }: Message): ChatMessage => message as ChatMessage

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The whole setup: text or chat, values and models. */
export const Setup = z.object({
  /** The prompt that the text came from; null for text written here. */
  subject: z.object({ id: z.string(), key: z.string(), version: z.string() }).nullable(),
  /** The text; of a chat its messages as text. */
  content: z.string(),
  /** The messages of a chat, as edited and not validated; null for a text. */
  chat: z.array(z.custom<PromptMessage>(isObject)).nullable().default(null),
  /** The model parameters of the text or chat, as edited and not validated. */
  params: z.custom<PromptParams>(isObject).default({}),
  declared: z.array(Variable),
  /** Text as typed, by variable. */
  values: z.record(z.string(), z.string()),
  messages: z.array(Message),
  /** JSON as typed. */
  tools: z.string(),
  schema: z.string(),
  /** The workspace of runs without a prompt; null for the current workspace. */
  workspace: z.string().nullable(),
  capture: CaptureMode.nullable(),
  columns: z.array(Column).min(1).max(maxColumns),
  /** The run that the setup was opened from, and notes about differences. */
  origin: z.object({ run: z.int(), notes: z.array(z.string()) }).nullable(),
})
export type Setup = z.infer<typeof Setup>

const Failure = z.object({
  title: z.string(),
  detail: z.string(),
  /** The error type of the run log, or the code of the problem. */
  type: z.string().nullable(),
  requestId: z.string().nullable(),
  runId: z.int().nullable(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type Failure = z.infer<typeof Failure>

/** The fields of a run that are displayed below its response. */
const Figures = Run.pick({
  id: true,
  prompt_tokens: true,
  output_tokens: true,
  tokens_estimated: true,
  latency_ms: true,
  ttft_ms: true,
  cost_usd: true,
})

/** `cut`: the page was closed or reloaded during the run. */
export const statuses = ['running', 'done', 'failed', 'stopped', 'cut'] as const

/** The result of one column. */
export const Result = z.object({
  status: z.enum(statuses),
  provider: z.string(),
  model: z.string(),
  version: z.string().nullable(),
  /** The JSON schema of the response, as typed; empty for any response. */
  schema: z.string(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  /** Milliseconds measured by the console; `run` has those of the service. */
  firstMs: z.number().nullable(),
  totalMs: z.number().nullable(),
  text: z.string(),
  toolCalls: z.array(ToolCall),
  rendered: z.string().nullable(),
  finishReason: z.string().nullable(),
  run: Figures.nullable(),
  failure: Failure.nullable(),
})
export type Result = z.infer<typeof Result>

export const Results = z.record(z.string(), Result)
export type Results = z.infer<typeof Results>

export const newId = (): string => crypto.getRandomValues(new Uint32Array(2)).join('-')

/** Returns a column with a new id, with the settings of `like` if given. */
export const newColumn = (like?: Column): Column => ({
  provider: '',
  model: '',
  version: null,
  params: {},
  ...like,
  id: newId(),
})

export const emptySetup = (): Setup => ({
  subject: null,
  content: '',
  chat: null,
  params: {},
  declared: [],
  values: {},
  messages: [],
  tools: '',
  schema: '',
  workspace: null,
  capture: null,
  columns: [newColumn()],
  origin: null,
})

/** Returns the changes to a setup that replace its text by a chat, or its messages. */
export const chatPatch = (chat: readonly PromptMessage[]): Pick<Setup, 'chat' | 'content'> => ({
  chat: [...chat],
  content: chatText(chat),
})

/** Returns the changes to a setup that replace its text or chat. `messages` null: by a text. */
export const textPatch = (
  content: string,
  messages: readonly PromptMessage[] | null,
): Pick<Setup, 'chat' | 'content'> => (messages === null ? { chat: null, content } : chatPatch(messages))

/** Returns true if the setup contains nothing worth saving. */
export const isBlank = (setup: Setup): boolean =>
  setup.content.trim() === '' && setup.messages.length === 0 && setup.tools === '' && setup.schema === ''
