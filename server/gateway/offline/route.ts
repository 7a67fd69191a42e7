import type { ToolCall } from '../../../contract/models/models.ts'
import type { GenerateRequest } from '../../models/model.ts'
import type { Json } from '../protocols/json.ts'

/** A request of a protocol, as the models of the service understand it. */
export type OfflineRequest = {
  readonly generate: GenerateRequest
  readonly isStream: boolean
  /** True if a stream ends with the counts of tokens. */
  readonly hasUsage: boolean
}

/** The fields that every part of a reply has. `created`: seconds since 1970. */
export type ReplyHead = { readonly id: string; readonly model: string; readonly created: number }

/** A complete response. */
export type Output = {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly finishReason: string | null
  readonly usage: { readonly prompt: number; readonly output: number }
}

/** Writes the events of a stream, in this order. */
export type EventWriter = {
  begin(): string
  text(delta: string): string
  call(call: ToolCall): string
  end(output: Output): string
  /** Writes an error in place of the end. */
  fail(message: string): string
}

/** A route that is served inside the service. */
export type OfflineRoute = {
  /** Throws a `ModelError` of the type `bad_request`. */
  readonly read: (body: Json) => OfflineRequest
  readonly complete: (head: ReplyHead, output: Output) => Json
  readonly createWriter: (head: ReplyHead, request: OfflineRequest) => EventWriter
}
