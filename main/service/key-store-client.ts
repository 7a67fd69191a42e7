import type { OsKeyStore } from '../../server/index.ts'
import { isKeysCommand, type ServiceMessage } from './service-messages.ts'

type Port = {
  postMessage(message: ServiceMessage): void
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown
}

/** Returns the OS key store for the service process, which requests it from the main process by messages. */
export function connectKeyStore(port: Port): Promise<OsKeyStore> {
  const pending = new Map<number, (failure: string | null) => void>()
  let lastId = 0
  const store = (text: string | null): Promise<void> =>
    new Promise((resolve, reject) => {
      lastId += 1
      pending.set(lastId, (failure) => (failure === null ? resolve() : reject(new Error(failure))))
      port.postMessage({ kind: 'store-keys', id: lastId, text })
    })
  return new Promise((resolve) => {
    port.on('message', ({ data }) => {
      if (!isKeysCommand(data)) return
      if (data.kind === 'keys') {
        resolve({ stored: data.stored, use: data.use, store })
        return
      }
      pending.get(data.id)?.(data.failure)
      pending.delete(data.id)
    })
    port.postMessage({ kind: 'get-keys' })
  })
}
