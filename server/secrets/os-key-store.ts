/**
 * The operating system's store of secrets, to which the desktop app gives the service access. It stores one
 * text, encrypted with a key that the service does not have.
 */
export type OsKeyStore = {
  /** The stored text; null if there is none or it can no longer be decrypted. */
  readonly stored: string | null
  /** `os`: the keys are stored here. `file`: they are moved back to the file. */
  readonly use: 'os' | 'file'
  /** Resolves when the text is stored; null deletes it. */
  store(text: string | null): Promise<void>
}
