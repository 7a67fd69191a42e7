import { offlineProvider } from '../../../contract/models/models.ts'
import type { UpdateProviderBody } from '../../../contract/models/providers.ts'
import { invalid } from '../../lib/fail.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { ProviderRow } from './providers.store.ts'
import { factsOf, keyPurpose, keyTextOf, type ProviderState, stateOf } from './state.ts'

export type ChangeDeps = {
  readonly vault: Vault
  /** Returns why an address may not be called; null if it may. */
  readonly refusalOf: (address: string, options: { isLocal: boolean }) => Promise<string | null>
}

/** Returns the row of a provider without stored settings. */
export const emptyRow = (name: string, label: string | null = null): ProviderRow => ({
  name,
  label,
  base_url: null,
  key_sealed: null,
  key_hint: null,
  key_set_at: null,
  models: null,
  default_model: null,
  enabled: null,
  local: null,
  concurrency: null,
  updated_at: 0,
  updated_by: '',
})

/** Minimum length of a key for a hint: four characters would reveal most of a shorter one. */
const minHintedLength = 8
const hintOf = (key: string): string | null => (key.length < minHintedLength ? null : key.slice(-4))

const toBit = (value: boolean | null): number | null => (value === null ? null : Number(value))
/** Returns the value after a change: null clears it, undefined leaves it. */
const valueAfter = <T>(requested: T | null | undefined, before: T | null): T | null =>
  requested === undefined ? before : requested

/** Returns the origin to which a key belongs: scheme, host and port. */
const originOf = (address: string | null): string | null =>
  address === null ? null : new URL(address).origin

/** Returns an address in the stored form: without query, fragment and trailing slash. */
function normalizedAddress(address: string): string {
  if (!URL.canParse(address)) throw invalid('base_url', 'Not a valid address; use the form https://host/path')
  const url = new URL(address)
  if (url.search !== '' || url.hash !== '') {
    throw invalid('base_url', 'The address must not contain ? or #')
  }
  // Credentials are not removed here, so that the later address check rejects them.
  return url.href.replace(/\/+$/, '')
}

function rejectForMock(body: ChangeBody): void {
  for (const field of ['base_url', 'api_key', 'local'] as const) {
    if (body[field] != null) throw invalid(field, 'The mock provider is built in and has no address or key')
  }
}

/** The label of a built-in provider is part of the service. */
function changedLabel(label: string | undefined, { isBuiltIn, facts }: ProviderState): string | null {
  if (!isBuiltIn) return label ?? facts.label
  if (label === undefined || label === facts.label) return null
  throw invalid('label', 'A built-in provider cannot be renamed; add a provider with a name of its own')
}

export type Planned = {
  readonly row: ProviderRow
  /** The settings after the change, with the new key. */
  readonly state: ProviderState
  readonly isKeyDropped: boolean
  readonly hasNewKey: boolean
}
type ChangeBody = Omit<UpdateProviderBody, 'test_key' | 'prices'>

/** Returns the row that results from a change. Throws a 422 that names the field. Stores nothing. */
export async function planChange(
  { vault, refusalOf }: ChangeDeps,
  before: { readonly row: ProviderRow; readonly state: ProviderState },
  body: ChangeBody,
  now: Date,
): Promise<Planned> {
  const { name } = before.state
  if (name === offlineProvider) rejectForMock(body)
  const row: ProviderRow = {
    ...before.row,
    label: changedLabel(body.label, before.state),
    base_url: valueAfter(
      body.base_url == null ? body.base_url : normalizedAddress(body.base_url),
      before.row.base_url,
    ),
    models: valueAfter(
      body.models == null ? body.models : JSON.stringify([...new Set(body.models)]),
      before.row.models,
    ),
    default_model: valueAfter(body.default_model, before.row.default_model),
    enabled: body.enabled === undefined ? before.row.enabled : toBit(body.enabled),
    local: body.local === undefined ? before.row.local : toBit(body.local),
    concurrency: valueAfter(body.concurrency, before.row.concurrency),
  }
  const facts = factsOf(name, row) ?? before.state.facts
  clearBuiltIn(facts, row)
  const next = stateOf(name, facts, row, vault)
  requireListedDefault(row, next)
  await requireAllowed(refusalOf, before.state, next, body)

  const isKeyDropped =
    body.api_key === undefined &&
    before.row.key_sealed !== null &&
    originOf(next.baseUrl) !== originOf(before.state.baseUrl)
  if (body.api_key === null || isKeyDropped) {
    const without = { ...row, key_sealed: null, key_hint: null, key_set_at: null }
    return { row: without, state: { ...next, key: null }, isKeyDropped, hasNewKey: false }
  }
  if (body.api_key === undefined || body.api_key === keyTextOf(before.state))
    return { row, state: next, isKeyDropped, hasNewKey: false }
  const sealed = await vault.seal(name, keyPurpose, body.api_key)
  return {
    row: { ...row, key_sealed: sealed, key_hint: hintOf(body.api_key), key_set_at: now.getTime() },
    state: { ...next, key: { text: body.api_key } },
    isKeyDropped,
    hasNewKey: true,
  }
}

/** Sets built-in values to null, so that sending a built-in value is not stored as a choice. */
function clearBuiltIn(facts: ProviderState['facts'], row: ProviderRow): void {
  const { baseUrl, models, defaultModel, isLocal, concurrency } = facts
  if (row.base_url === baseUrl) row.base_url = null
  if (row.models === JSON.stringify(models)) row.models = null
  if (row.default_model === defaultModel) row.default_model = null
  if (row.enabled === 1) row.enabled = null
  if (row.local === Number(isLocal)) row.local = null
  if (row.concurrency === concurrency) row.concurrency = null
}

function requireListedDefault(row: ProviderRow, { models }: ProviderState): void {
  if (row.default_model === null || models.length === 0 || models.includes(row.default_model)) return
  throw invalid('default_model', `${row.default_model} is not in its list of models`)
}

async function requireAllowed(
  refusalOf: ChangeDeps['refusalOf'],
  before: ProviderState,
  next: ProviderState,
  body: ChangeBody,
): Promise<void> {
  if (next.baseUrl === null) return
  if (next.baseUrl === before.baseUrl && next.isLocal === before.isLocal) return
  const refusal = await refusalOf(next.baseUrl, { isLocal: next.isLocal })
  if (refusal === null) return
  const { label } = next.facts
  throw invalid(
    body.base_url === undefined ? 'local' : 'base_url',
    body.base_url === null ? `The built-in address of ${label}: ${refusal}` : refusal,
  )
}
