import { request } from 'node:http'

/**
 * Sends a request with any Host and Origin header, which fetch does not allow. `beforeBody` runs when the service has
 * received the headers, and so has authenticated the request; the body follows it.
 */
export function bare(
  origin: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
  beforeBody?: () => Promise<unknown>,
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const waiting = { expect: '100-continue', 'content-length': String(Buffer.byteLength(body, 'latin1')) }
    const all = beforeBody ? { ...headers, ...waiting } : headers
    const req = request(new URL(path, origin), { method, headers: all }, (res) => {
      let text = ''
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }))
    })
    req.on('error', reject)
    if (!beforeBody) return req.end(body, 'latin1')
    req.flushHeaders()
    return req.once('continue', () => beforeBody().then(() => req.end(body, 'latin1'), reject))
  })
}
