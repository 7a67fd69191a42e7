/** Settings of model providers. Null: the built-in value applies. */
export type ProvidersTable = {
  name: string
  /** The name for people. Null for a built-in provider. */
  label: string | null
  base_url: string | null
  /** See server/secrets/vault.ts. */
  key_sealed: string | null
  key_hint: string | null
  key_set_at: number | null
  /** JSON array. */
  models: string | null
  default_model: string | null
  enabled: number | null
  local: number | null
  concurrency: number | null
  updated_at: number
  updated_by: string
}
