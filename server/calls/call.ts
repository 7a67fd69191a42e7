import type {
  CaptureMode,
  ChatMessage,
  JsonSchema,
  ModelParams,
  ModelResult,
  ToolDeclaration,
} from '../../contract/models.ts'
import type { Run } from '../../contract/run.ts'
import type { Context } from '../lib/context.ts'
import type { ModelError, ModelEvent } from '../models/model.ts'

/** What is asked of a model, as template and values: the text that is sent is made from both in one place. */
export type CallRequest = {
  readonly source: 'playground' | 'agent' | 'workflow'
  readonly workspaceId: string
  /** The key of the prompt, agent or workflow it is made for, and the version of it. */
  readonly refKey: string | null
  readonly version: string | null
  /** The execution it is a part of. */
  readonly parentId: string | null
  readonly provider: string
  /** Null: the provider's default. */
  readonly model: string | null
  /** Before the prompt: instructions and examples, sent as they are. */
  readonly messages: readonly ChatMessage[]
  readonly template: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly declared: readonly {
    readonly name: string
    readonly default?: unknown
    readonly required?: boolean
  }[]
  readonly params: ModelParams
  readonly tools: readonly ToolDeclaration[]
  readonly responseSchema: JsonSchema | null
  /** Keep less of input and output than the workspace does; null: what the workspace keeps. */
  readonly capture: CaptureMode | null
}

export type CallDone = { readonly rendered: string; readonly result: ModelResult; readonly run: Run }

/** The call was made and failed: it is in the run log. */
export class CallFailed extends Error {
  readonly rendered: string
  readonly run: Run
  readonly reason: ModelError
  /** What had come until then. */
  readonly partial: string
  constructor(given: { rendered: string; run: Run; reason: ModelError; partial: string }) {
    super(given.reason.message, { cause: given.reason })
    this.name = 'CallFailed'
    this.rendered = given.rendered
    this.run = given.run
    this.reason = given.reason
    this.partial = given.partial
  }
}

/**
 * Every model call of the service passes here, so that each is in the run log exactly once: an intent is on disk before
 * the first byte leaves, and gives way to the run in one transaction.
 */
export type Calls = {
  /**
   * Refuses (422, nothing kept) an unknown provider, a missing model or variable; throws `CallFailed` once a call was
   * begun. When the call went but its run cannot be kept now (507, 503), the problem carries the output; the run is
   * tried again, and at the next start it is an interrupted one. `onEvent` hears each delta and tool call as it comes; the end is the resolved value.
   */
  call(
    ctx: Context,
    request: CallRequest,
    signal: AbortSignal,
    onEvent?: (event: Exclude<ModelEvent, { type: 'end' }>) => void,
    /** Told once the call is certain to have a run: from here on it fails with `CallFailed` only. */
    onBegun?: () => void,
  ): Promise<CallDone>
  /** Ends what is under way as `interrupted`, and takes no more. Resolves when all of it is in the run log. */
  close(): Promise<void>
}
