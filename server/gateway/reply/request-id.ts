/** Headers with the provider's id of a request, those of the built-in providers first. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'x-goog-request-id',
  'apim-request-id',
  'x-amzn-requestid',
] as const

/** Returns the provider's id of a request from the headers of its reply; null without one. */
export function requestIdIn(headers: Readonly<Record<string, string | undefined>>): string | null {
  for (const name of requestIdHeaders) {
    const id = headers[name]?.trim() ?? ''
    if (id !== '') return id
  }
  return null
}
