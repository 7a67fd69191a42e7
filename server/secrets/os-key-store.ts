/**
 * The operating system's store of secrets, as the desktop app lends it to the service. What it keeps is one text, which
 * it can read and the service cannot.
 */
export type OsKeyStore = {
  /** What was kept last; null: nothing, or it can no longer be read. */
  readonly kept: string | null
  /** `leave`: give back what is kept and use the file again. */
  readonly use: 'keep' | 'leave'
  /** Settles once it is safe; null forgets it. */
  keep(text: string | null): Promise<void>
}
