import type { Environment } from '../../../contract/common/environments.ts'
import type { ChatTemplate, PlaceholderValues } from '../../../contract/models/chat.ts'
import type {
  CaptureMode,
  ChatMessage,
  JsonSchema,
  ModelParams,
  ModelResult,
  ToolDeclaration,
} from '../../../contract/models/models.ts'
import type { Run, RunContext } from '../../../contract/runs/run.ts'
import type { Context } from '../../lib/context.ts'
import type { ModelError, ModelEvent } from '../../models/model.ts'

/** A model call as template and values. The text that is sent is rendered from both in `prepare`. */
export type CallRequest = {
  readonly source: 'playground' | 'agent' | 'workflow'
  readonly workspaceId: string
  /** The key of the prompt, agent or workflow that the call is for, and its version. */
  readonly refKey: string | null
  readonly version: string | null
  /** Environment of the prompt; null if there is none. */
  readonly env: Environment | null
  /** Fields of the run that the caller sets, such as its session. */
  readonly context: RunContext
  /** The execution that the call is part of. */
  readonly parentId: string | null
  readonly provider: string
  /** Null: the provider's default. */
  readonly model: string | null
  /** Messages before the prompt: instructions and examples, sent unchanged. */
  readonly messages: readonly ChatMessage[]
  /** A text, which is sent as a user message, or the messages of a chat prompt. */
  readonly template: string | ChatTemplate
  /** Lists of messages for the placeholders of a chat prompt. */
  readonly placeholders: PlaceholderValues
  readonly variables: Readonly<Record<string, unknown>>
  readonly declared: readonly {
    readonly name: string
    readonly default?: unknown
    readonly required?: boolean
  }[]
  readonly params: ModelParams
  readonly tools: readonly ToolDeclaration[]
  readonly responseSchema: JsonSchema | null
  /** True if the response must be JSON; without a schema, any JSON object. */
  readonly isJson: boolean
  /** The highest capture mode to use, if lower than that of the workspace; null: that of the workspace. */
  readonly capture: CaptureMode | null
}

export type CallDone = {
  readonly rendered: string
  /** All messages that were sent, in order. */
  readonly messages: ChatMessage[]
  readonly result: ModelResult
  readonly run: Run
}

/** A call that was made and failed. Its run is in the run log. */
export class CallFailed extends Error {
  readonly rendered: string
  readonly run: Run
  readonly reason: ModelError
  /** The output received before the failure. */
  readonly partial: string
  constructor(details: { rendered: string; run: Run; reason: ModelError; partial: string }) {
    super(details.reason.message, { cause: details.reason })
    this.name = 'CallFailed'
    this.rendered = details.rendered
    this.run = details.run
    this.reason = details.reason
    this.partial = details.partial
  }
}

/**
 * The interface through which the service makes every model call, so that each is in the run log exactly
 * once. An intent is on disk before the first byte is sent; one transaction replaces it with the run.
 */
export type Calls = {
  /**
   * Makes a call. Throws 422 for an unknown provider, a missing model or a missing variable; nothing is
   * stored then. Throws `CallFailed` if the call was begun and failed. If the call was made but its run
   * cannot be stored now (507, 503), the problem contains the output; storing is retried, and at the next
   * start the run is recorded as interrupted. `onEvent` receives each delta and tool call; the resolved value
   * is the end.
   */
  call(
    ctx: Context,
    request: CallRequest,
    signal: AbortSignal,
    onEvent?: (event: Exclude<ModelEvent, { type: 'end' }>) => void,
    /** Called when the intent is stored. Later errors are `CallFailed` or those of storing the run. */
    onBegun?: () => void,
  ): Promise<CallDone>
  /**
   * Ends active calls as `interrupted` and refuses new ones. Resolves when all their runs are in the run log.
   */
  close(): Promise<void>
}
