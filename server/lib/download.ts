/** A reply that is streamed as a file and never in memory as a whole. */
export type Download = {
  readonly filename: string
  readonly contentType: string
  readonly chunks: AsyncIterable<string | Uint8Array>
}
