import { ApiError, type QueryInput } from '../../contract/client.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { client } from './api.ts'
import { createLineCount } from './lines.ts'

/** How long the browser may take to begin saving before the file is let go of, in milliseconds. */
const holdMs = 60_000
/** What has come is handed to the browser in pieces of this size, which it may keep on disk instead of in memory. */
const pieceBytes = 8 * 1024 * 1024

const nameIn = (header: string | null): string | undefined => /filename="?([^";]+)"?/.exec(header ?? '')?.[1]

/** Has the browser save a file. */
export function saveFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), holdMs)
}

export type Progress = { readonly bytes: number; readonly rows: number }

type Options = {
  readonly query: QueryInput
  /** The file's name, should the service not give one. */
  readonly fallbackName: string
  readonly format: 'csv' | 'jsonl'
  readonly signal: AbortSignal
  readonly onProgress: (so: Progress) => void
}

/**
 * Fetches a file with the session's token, which a plain link could not send, and has the browser save it once all of
 * it is there: a transfer that breaks off, or is cancelled, leaves no file. Resolves to what was saved.
 */
export async function download(endpoint: Endpoint, options: Options): Promise<Progress> {
  const { query, format, signal, onProgress } = options
  const response = await client.download(endpoint, { query: { ...query, format } }, { signal })
  const type = response.headers.get('content-type') ?? ''
  const reader = response.body?.getReader()
  const pieces: Blob[] = []
  let fresh: Uint8Array<ArrayBuffer>[] = []
  let freshBytes = 0
  let bytes = 0
  const lines = createLineCount(format)
  // The first line of a CSV names its columns.
  const rows = (): number => Math.max(0, lines.count() - (format === 'csv' ? 1 : 0))
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      if (signal.aborted) throw cause
      throw new ApiError(0, 'The download broke off', null, { cause })
    })
    if (done) break
    bytes += value.length
    freshBytes += value.length
    fresh.push(value)
    lines.add(value)
    if (freshBytes >= pieceBytes) {
      pieces.push(new Blob(fresh))
      fresh = []
      freshBytes = 0
    }
    onProgress({ bytes, rows: rows() })
  }
  const name = nameIn(response.headers.get('content-disposition')) ?? options.fallbackName
  saveFile(name, [...pieces, ...fresh], type)
  return { bytes, rows: rows() }
}
