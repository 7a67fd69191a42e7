import type { JsonSchema } from '../../../contract/models/models.ts'

export type Json = Record<string, unknown>

/** The parsed request, independent of the protocol. */
export type ParsedRequest = {
  readonly model: string
  readonly stream: boolean
  /** Text of the last user message. */
  readonly prompt: string
  readonly tools: readonly { readonly name: string; readonly schema: JsonSchema }[]
  readonly mustCallTool: boolean
  readonly schema: JsonSchema | null
  readonly maxTokens: number | null
}

export type ToolUse = { readonly id: string; readonly name: string; readonly arguments: unknown }

export type Answer = {
  /** Sent one by one in a stream. */
  readonly pieces: readonly string[]
  readonly toolCalls: readonly ToolUse[]
  readonly isCut: boolean
  /** `cached` is part of `prompt`, `reasoning` of `output`. */
  readonly usage: {
    readonly prompt: number
    readonly output: number
    readonly cached: number
    readonly reasoning: number
  } | null
}

/** The parts of a streamed reply: before, for, and after the pieces. */
export type Frames = {
  readonly head: readonly string[]
  readonly pieces: readonly string[]
  readonly tail: readonly string[]
}

export type Refusal = { readonly status: number; readonly message: string }

/** A protocol. */
export type Wire = {
  readonly name: string
  matches(method: string, path: string, headers: Readonly<Record<string, unknown>>): boolean
  /** Returns the API key of a request. */
  key(headers: Readonly<Record<string, unknown>>): string | null
  /** Returns which requirement of the protocol the request violates, or null. */
  violation(body: Json, headers: Readonly<Record<string, unknown>>): string | null
  read(body: Json, path: string): ParsedRequest
  readonly streamType: string
  complete(request: ParsedRequest, answer: Answer): Json
  frames(request: ParsedRequest, answer: Answer): Frames
  refusal(refusal: Refusal): Json
  /** An error in the middle of a stream. */
  errorFrame(message: string): string
  /** A frame whose JSON is cut off. */
  readonly brokenFrame: string
}

export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

export const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : list(value)
        .map((part) => String(part['text'] ?? ''))
        .join('')

export const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : [])
export const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}
export const schemaOf = (value: unknown): JsonSchema | null =>
  typeof value === 'object' && value !== null ? (value as JsonSchema) : null
export const amount = (value: unknown): number | null => (typeof value === 'number' ? value : null)

export const bearer = (headers: Readonly<Record<string, unknown>>): string | null =>
  /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1] ?? null

export const lastUser = (messages: unknown): string =>
  text(list(messages).findLast(({ role }) => role === 'user')?.['content'])
