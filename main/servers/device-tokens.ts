import type { Seal } from '../lib/seal.ts'
import type { StoredServer } from './stored-servers.ts'

export type DeviceTokens = {
  /** Returns the fields with which a token is stored: encrypted, if this computer has a key store. */
  protect(token: string): Promise<Pick<StoredServer, 'sealedToken' | 'plainToken'>>
  /** Returns the token of a server. Rejects if the key store does not release its key. */
  reveal(server: StoredServer): Promise<string>
}

export function createDeviceTokens(seal: Seal, writeLog: (line: string) => void): DeviceTokens {
  return {
    async protect(token) {
      if (await seal.isAvailable()) return { sealedToken: await seal.seal(token), plainToken: null }
      writeLog('this computer has no key store; the token of the server stays in a file of this user')
      return { sealedToken: null, plainToken: token }
    },
    async reveal({ sealedToken, plainToken, name }) {
      if (plainToken !== null) return plainToken
      if (sealedToken === null) throw new Error(`The token of ${name} is missing. Connect to it again.`)
      try {
        return await seal.open(sealedToken)
      } catch (error) {
        writeLog(`the token of a server was not decrypted: ${String(error)}`)
        throw new Error(
          `The key store of this computer did not release the token of ${name}. Unlock it and try again, or connect to the server again.`,
          { cause: error },
        )
      }
    },
  }
}
