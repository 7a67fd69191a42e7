/** The latest messages between instances. Their numbers follow the order of commits. */
export type InstanceSignalsTable = {
  id: number
  instance_id: string
  /** The message as JSON. */
  payload: string
}

/** Short-lived state that instances share, such as failed sign-ins. */
export type SharedValuesTable = { scope: string; name: string; value: string; expires_at: number }

/** PostgreSQL only: the keys that every instance needs. `sealed`: the key file, encrypted under KEYS_SECRET. */
export type SharedKeysTable = { name: string; fingerprint: string; sealed: string | null }

export type InstanceTables = {
  instance_signals: InstanceSignalsTable
  shared_values: SharedValuesTable
  shared_keys: SharedKeysTable
}
