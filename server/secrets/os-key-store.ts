/**
 * The operating system's store of secrets, to which the desktop app gives the service access. It stores one
 * text, encrypted with a key that the service does not have.
 */
export type OsKeyStore = {
  /** The stored text; null if there is none or it can no longer be decrypted. */
  readonly stored: string | null
  /** `keep`: the keys are stored here. `leave`: they move back to the file. */
  readonly use: 'keep' | 'leave'
  /** Resolves when the text is stored; null deletes it. */
  store(text: string | null): Promise<void>
}
