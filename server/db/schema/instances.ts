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

/** PostgreSQL only: the running instances. `revision`: the number of the newest change of its clients. */
export type InstancesTable = { id: string; heartbeat_at: number; revision: number }

/** PostgreSQL only: the clients of each instance. `value`: the client as JSON, without `last_seen_at`. */
export type ConnectedClientsTable = {
  instance_id: string
  id: string
  revision: number
  last_seen_at: number
  value: string
}

export type InstanceTables = {
  instances: InstancesTable
  connected_clients: ConnectedClientsTable
  instance_signals: InstanceSignalsTable
  shared_values: SharedValuesTable
  shared_keys: SharedKeysTable
}
