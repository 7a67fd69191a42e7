import { ApiError, type QueryInput } from '../../contract/client.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { client } from './api.ts'

/** How long the browser may take to begin saving before the file is let go of, in milliseconds. */
const holdMs = 60_000

const nameIn = (header: string | null): string | undefined => /filename="?([^";]+)"?/.exec(header ?? '')?.[1]

/** Fetches a file with the session's token, which a plain link could not send, and has the browser save it. */
export async function download(endpoint: Endpoint, query: QueryInput, fallbackName: string): Promise<void> {
  const response = await client.download(endpoint, { query })
  const file = await response.blob().catch((cause: unknown) => {
    throw new ApiError(0, 'The download broke off', null, { cause })
  })
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = nameIn(response.headers.get('content-disposition')) ?? fallbackName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), holdMs)
}
