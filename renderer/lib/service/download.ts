import { ApiError, type QueryInput } from '../../../contract/client.ts'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { client } from './api.ts'
import { createLineCount } from './lines.ts'

/** Time until the file's URL is revoked, in milliseconds. The browser must start to save the file before. */
const urlLifetimeMs = 60_000
/**
 * Received data is moved into blobs of this size in bytes, which the browser may keep on disk instead of in
 * memory.
 */
const blobBytes = 8 * 1024 * 1024

/** Returns the file name that a `Content-Disposition` header gives. */
export const fileNameIn = (header: string | null): string | undefined =>
  /filename="?([^";]+)"?/.exec(header ?? '')?.[1]

/** Makes the browser save a file. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), urlLifetimeMs)
}

export type Progress = { readonly bytes: number; readonly rows: number }

type Options = {
  readonly query: QueryInput
  /** Name of the file if the service sends none. */
  readonly fallbackName: string
  readonly format: 'csv' | 'jsonl'
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/**
 * Downloads a file with the session's token, which a plain link cannot send, and saves it once it is
 * complete. If the transfer fails or is cancelled, no file is saved. Resolves to the bytes and rows saved;
 * throws an `ApiError` of status 0 if the connection breaks.
 */
export async function download(endpoint: Endpoint, options: Options): Promise<Progress> {
  const { query, format, signal, onProgress } = options
  const response = await client.download(endpoint, { query: { ...query, format } }, { signal })
  const type = response.headers.get('content-type') ?? ''
  const reader = response.body?.getReader()
  const blobs: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let chunkBytes = 0
  let bytes = 0
  const lines = createLineCount(format)
  // The first line of a CSV has the column names.
  const rows = (): number => Math.max(0, lines.count() - (format === 'csv' ? 1 : 0))
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      if (signal.aborted) throw cause
      throw new ApiError(0, 'The download broke off', null, { cause })
    })
    if (done) break
    bytes += value.length
    chunkBytes += value.length
    chunks.push(value)
    lines.add(value)
    if (chunkBytes >= blobBytes) {
      blobs.push(new Blob(chunks))
      chunks = []
      chunkBytes = 0
    }
    onProgress({ bytes, rows: rows() })
  }
  const name = fileNameIn(response.headers.get('content-disposition')) ?? options.fallbackName
  saveFile(name, [...blobs, ...chunks], type)
  return { bytes, rows: rows() }
}
