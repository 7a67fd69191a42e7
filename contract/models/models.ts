import { z } from 'zod'
import { Slug } from '../common/fields.ts'

/** The built-in providers, in display order. */
export const providerNames = ['mock', 'openai', 'claude', 'gemini', 'ollama', 'openai-compatible'] as const
export type BuiltInProvider = (typeof providerNames)[number]

/** The id of a provider: a built-in one, or one that an admin added. */
export const ProviderName = Slug
export type ProviderName = z.infer<typeof ProviderName>

/** The provider that runs inside the service, without a network. */
export const offlineProvider = 'mock' satisfies BuiltInProvider

/** Capture modes from least to most. A call may request less than its workspace's mode, never more. */
export const captureModes = ['off', 'redacted', 'full'] as const
export const CaptureMode = z.enum(captureModes)
export type CaptureMode = z.infer<typeof CaptureMode>

export const ModelName = z.string().trim().min(1).max(128)

/** The JSON Schema of an object, as models accept it. Validated before a call is made. */
export const JsonSchema = z.record(z.string(), z.unknown())
export type JsonSchema = z.infer<typeof JsonSchema>

/** A call of a tool, as a model requests it. */
export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.unknown().meta({ description: 'Parsed JSON, or the text if it is not JSON' }),
})
export type ToolCall = z.infer<typeof ToolCall>

const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, `_` and `-`')
const ToolCallId = z.string().min(1).max(128)
const MessageContent = z.string().max(262_144)

/** A message of a conversation. */
export const ChatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'user']), content: MessageContent }),
  z.strictObject({
    role: z.literal('assistant'),
    content: MessageContent,
    tool_calls: z
      .array(z.strictObject({ id: ToolCallId, name: ToolName, arguments: ToolCall.shape.arguments }))
      .min(1)
      .max(64)
      .optional(),
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: MessageContent.meta({ description: 'The result of the tool' }),
    tool_call_id: ToolCallId.meta({ description: 'The `id` of the call that this is the result of' }),
    name: ToolName.optional().meta({ description: 'The tool; by default that of the call' }),
  }),
])
export type ChatMessage = z.infer<typeof ChatMessage>
export const messageRoles = ['system', 'user', 'assistant', 'tool'] as const
export const ChatMessages = z.array(ChatMessage).max(100)

/** A tool that the model may call. The service shows the calls but does not run tools. */
export const ToolDeclaration = z.strictObject({
  name: ToolName,
  description: z.string().max(4000).default(''),
  parameters: JsonSchema,
})
export type ToolDeclaration = z.infer<typeof ToolDeclaration>
export const ToolDeclarations = z.array(ToolDeclaration).max(64)

/** The behaviour of the offline provider: speed and failures. */
export const MockBehaviour = z.strictObject({
  first_token_ms: z.int().min(0).max(60_000).optional(),
  tokens_per_second: z.number().positive().max(1_000_000).optional(),
  fail: z.enum(['start', 'middle', 'stall']).optional(),
})
export type MockBehaviour = z.infer<typeof MockBehaviour>

/**
 * Parameters of a model, with OpenAI's names where there is a common one. A provider rejects a parameter that
 * it does not support.
 */
export const ModelParams = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(1).max(1000).optional(),
  max_output_tokens: z.int().min(1).max(1_000_000).optional(),
  stop: z.array(z.string().min(1).max(256)).max(8).optional(),
  seed: z.int().min(0).max(2_147_483_647).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).optional(),
  /** Limit for the whole call, retries included. */
  timeout_ms: z.int().min(100).max(600_000).optional(),
  mock: MockBehaviour.optional(),
})
export type ModelParams = z.infer<typeof ModelParams>

/** The response of a model. */
export const ModelResult = z.object({
  provider: z.string(),
  model: z.string(),
  output: z.string(),
  tool_calls: z.array(ToolCall),
  finish_reason: z.string().nullable(),
})
export type ModelResult = z.infer<typeof ModelResult>
