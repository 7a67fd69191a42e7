/** PostgreSQL only: the keys that every instance needs. `sealed`: the key file, encrypted under KEYS_SECRET. */
export type SharedKeysTable = { name: string; fingerprint: string; sealed: string | null }
