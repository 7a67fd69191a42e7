/** A reply that is streamed as a file and never in memory as a whole. */
export type Download = {
  readonly filename: string
  readonly contentType: string
  /** Records the download, and returns the content. Not called for HEAD, which transfers none. */
  readonly open: () => Promise<AsyncIterable<string | Uint8Array>>
}
