import { once } from 'node:events'
import WebSocket from 'ws'
import { isOnPostgres } from './databases.ts'

/**
 * Resolves when the service has sent the frames of all changes so far. On PostgreSQL it reads them from the database
 * after the reply, and before it accepts a new connection. `origin`: with any scheme.
 */
export async function framesSent(origin: string, token: string): Promise<void> {
  if (!isOnPostgres) return
  const url = `${origin.replace(/^http/, 'ws')}/ws?client=browser&app=test&namespace=*`
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
  await once(socket, 'message')
  socket.terminate()
}
