import type { Environment } from '../../../contract/common/environments.ts'
import type { ChatTemplate } from '../../../contract/models/chat.ts'
import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import type { Json } from '../protocols/json.ts'

/** A published prompt, as apps are served it. */
export type ServedPrompt = {
  readonly version: string
  readonly model: string | null
  readonly content: string
  /** Null: the prompt is a text. */
  readonly messages: ChatTemplate | null
  readonly params: PromptParams
  readonly variables: readonly {
    readonly name: string
    readonly default?: unknown
    readonly required?: boolean
  }[]
}

export type PromptPlace = {
  readonly workspaceId: string
  readonly key: string
  readonly env: Environment
}

/** Returns the served prompt of a place; null if it does not exist or was never published. */
export type FindServed = (place: PromptPlace) => Promise<ServedPrompt | null>

/** A prompt with its values, in the parts before and after the messages of the request. */
export type PromptParts = {
  readonly model: string
  readonly before: readonly ChatMessage[]
  readonly after: readonly ChatMessage[]
  readonly params: PromptParams
}

/** A request to a provider, in place of one that names a prompt. */
export type Applied = {
  readonly body: Json
  /** The path below the address of the provider; null: that of the request. */
  readonly path: string | null
}

/**
 * Inserts a prompt into a request of a protocol. What the request sets takes precedence over the parameters of the
 * prompt. Throws 400 for a parameter that the protocol does not have, because ignoring it would change the response.
 */
export type ApplyPrompt = (body: Json, prompt: PromptParts, path: string) => Applied
