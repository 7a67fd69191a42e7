import { once } from 'node:events'
import { connect } from 'node:net'
import { onMovableClock, server, setUpService as start } from '../file-service.ts'

export { server, time } from '../file-service.ts'

/** Sends these bytes and returns the reply until the service closes the connection. */
export async function raw(
  bytes: string,
): Promise<{ status: number; type: string; body: ReturnType<typeof JSON.parse> }> {
  const { port, hostname } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })
  socket.write(bytes)
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    type: /^content-type: (.*)$/im.exec(head)?.[1] ?? '',
    body: JSON.parse(body),
  }
}

export const setUpService = () => start(undefined, onMovableClock)
