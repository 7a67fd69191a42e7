/** A reply that is streamed to a file: never held in memory as a whole. */
export type Download = {
  readonly filename: string
  readonly contentType: string
  readonly chunks: AsyncIterable<string | Uint8Array>
}
