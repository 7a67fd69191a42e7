export type Fetch = typeof globalThis.fetch

/** The current settings of a provider. Read for each call, so that a change applies to the next call. */
export type ProviderSettings = {
  readonly isEnabled: boolean
  /** The address in use, the built-in one included, without a slash at the end. */
  readonly baseUrl: string | null
  readonly hasKey: boolean
  /** True if a key was set that can no longer be decrypted. */
  readonly isKeyLost: boolean
  /** Called just before a request is sent. The key is in memory during the call only. Null: no key. */
  readonly key: () => string | null | Promise<string | null>
  readonly models: readonly string[]
  readonly defaultModel: string | null
  readonly isLocal: boolean
  /** Concurrent calls; further calls wait. Null: no limit. */
  readonly concurrency: number | null
}
