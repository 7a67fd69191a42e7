import { createHmac } from 'node:crypto'

/**
 * Returns the value of the signature header: `t=<seconds>,v1=<hex>`, with one `v1` per secret. The signed text
 * is the time, a dot and the body.
 */
export function signatureOf(secrets: readonly string[], at: Date, body: string): string {
  const time = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
  )
  return [`t=${time}`, ...signatures].join(',')
}
