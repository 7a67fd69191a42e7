import { z } from 'zod'
import { CaptureMode, ChatMessage, ToolCall } from '../../../contract/models.ts'
import { Variable } from '../../../contract/prompt.ts'
import { Run } from '../../../contract/run.ts'

/** How many models or versions run beside each other. */
export const mostColumns = 4

const Column = z.object({
  id: z.string(),
  /** Empty: the first that can be called. */
  provider: z.string(),
  /** Empty: the provider's default. */
  model: z.string(),
  /** Of the prompt that is open, `draft` or `v3`; null: the text on the left. */
  version: z.string().nullable(),
  /** As typed, by the parameter's name: `temperature`, `mock.fail`. */
  params: z.record(z.string(), z.string()),
})
export type Column = z.infer<typeof Column>

const Message = ChatMessage.extend({ id: z.string() })
export type Message = z.infer<typeof Message>

/** All that is set up: what is run, and on which models. */
export const Setup = z.object({
  /** The prompt the text was taken from; null: written here. */
  subject: z.object({ id: z.string(), key: z.string(), version: z.string() }).nullable(),
  content: z.string(),
  declared: z.array(Variable),
  /** As typed, by variable. */
  values: z.record(z.string(), z.string()),
  messages: z.array(Message),
  /** JSON, as typed. */
  tools: z.string(),
  schema: z.string(),
  /** Where the run of a text of one's own counts; null: the workspace that is looked at. */
  workspace: z.string().nullable(),
  capture: CaptureMode.nullable(),
  columns: z.array(Column).min(1).max(mostColumns),
  /** Where it was opened from, and what is to be known about that. */
  origin: z.object({ run: z.int(), notes: z.array(z.string()) }).nullable(),
})
export type Setup = z.infer<typeof Setup>

const Failure = z.object({
  title: z.string(),
  detail: z.string(),
  /** As the run log says it, or the problem's code. */
  type: z.string().nullable(),
  requestId: z.string().nullable(),
  runId: z.int().nullable(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type Failure = z.infer<typeof Failure>

/** Of a run, what stands under its answer. */
const Figures = Run.pick({
  id: true,
  prompt_tokens: true,
  output_tokens: true,
  tokens_estimated: true,
  latency_ms: true,
  ttft_ms: true,
  cost_usd: true,
})

/** `cut`: the page was left or loaded anew in the middle. */
const statuses = ['running', 'done', 'failed', 'stopped', 'cut'] as const

/** What came of one column. */
export const Result = z.object({
  status: z.enum(statuses),
  provider: z.string(),
  model: z.string(),
  version: z.string().nullable(),
  /** JSON, as typed, that the answer has to fit; empty: any. */
  schema: z.string(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  /** Milliseconds, as seen here; the run has the service's own. */
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

/** Nothing that would be missed. */
export const isBlank = (setup: Setup): boolean =>
  setup.content.trim() === '' && setup.messages.length === 0 && setup.tools === '' && setup.schema === ''
