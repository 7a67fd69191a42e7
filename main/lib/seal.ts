/**
 * The asynchronous part of Electron's safeStorage. The synchronous part blocks the app while the system
 * prompts.
 */
export type SafeStoragePart = {
  isAsyncEncryptionAvailable(): Promise<boolean>
  encryptStringAsync(text: string): Promise<Buffer>
  decryptStringAsync(bytes: Buffer): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>
  /** Linux only. */
  getSelectedStorageBackend(): string
}

/** Encrypts texts with a key from the operating system's key store. */
export type Seal = {
  isAvailable(): Promise<boolean>
  /** Returns the encrypted text in base 64, after verifying that it can be decrypted. */
  seal(text: string): Promise<string>
  /** Rejects if the key store does not release the key. */
  open(sealed: string): Promise<string>
}

export function createSeal(safeStorage: SafeStoragePart, platform: NodeJS.Platform): Seal {
  return {
    async isAvailable() {
      if (!(await safeStorage.isAsyncEncryptionAvailable())) return false
      // Without a keyring, Chromium encrypts with a password from its source code. A file of the user is safer.
      return platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text'
    },
    async seal(text) {
      const sealed = await safeStorage.encryptStringAsync(text)
      const { result } = await safeStorage.decryptStringAsync(sealed)
      if (result !== text) throw new Error('the key store returned a different text than it stored')
      return sealed.toString('base64')
    },
    open: async (sealed) => (await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'))).result,
  }
}
