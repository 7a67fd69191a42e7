import type { Generated } from 'kysely'
import type { SignInMethod } from '../../../contract/accounts/session.ts'
import type { AccessColumn, MembershipsTable } from './access.ts'
import type { AlertDeliveriesTable, AlertEventsTable, AlertStatesTable, AlertsTable } from './alerts.ts'
import type { BudgetTables, TokenColumns } from './budgets.ts'
import type { DevicesTable } from './devices.ts'
import type { EventsTable } from './events.ts'
import type { InstanceTables } from './instances.ts'
import type { ProvidersTable } from './providers.ts'
import type { RunRollupsTable, RunsTable } from './run-columns.ts'
import type {
  CallIntentsTable,
  NameMembersTable,
  NamesTable,
  NameWordsTable,
  PayloadDaysTable,
  PayloadsTable,
  RunSessionsTable,
  TraceSpansTable,
} from './runs.ts'
import type { SampleItemsTable } from './sample-items.ts'
import type { SecondFactorTables } from './second-factors.ts'
import type { SavedViewsTable } from './views.ts'
import type {
  AgentsTable,
  DefinitionVersionsTable,
  DefinitionWordsTable,
  WorkflowRunStepsTable,
  WorkflowRunsTable,
  WorkflowsTable,
} from './workflows.ts'
import type { WorkspaceSlugsTable, WorkspacesTable } from './workspaces.ts'

/** Every table, for Kysely. Times: epoch milliseconds. Booleans: 0 or 1. Money: nano-dollars. */
export type Schema = SecondFactorTables &
  BudgetTables &
  InstanceTables & {
    meta: MetaTable
    users: UsersTable
    memberships: MembershipsTable
    sessions: SessionsTable
    devices: DevicesTable
    workspaces: WorkspacesTable
    workspace_slugs: WorkspaceSlugsTable
    prompts: PromptsTable
    prompt_drafts: PromptDraftsTable
    prompt_versions: PromptVersionsTable
    prompt_includes: PromptIncludesTable
    prompt_tags: PromptTagsTable
    prompt_words: PromptWordsTable
    agents: AgentsTable
    agent_versions: DefinitionVersionsTable
    agent_words: DefinitionWordsTable
    workflows: WorkflowsTable
    workflow_versions: DefinitionVersionsTable
    workflow_words: DefinitionWordsTable
    workflow_runs: WorkflowRunsTable
    workflow_run_steps: WorkflowRunStepsTable
    api_tokens: ApiTokensTable
    settings: SettingsTable
    providers: ProvidersTable
    sample_items: SampleItemsTable
    audit: AuditTable
    audit_terms: AuditTermsTable
    audit_postings: AuditPostingsTable
    events: EventsTable
    idempotency_keys: IdempotencyKeysTable
    names: NamesTable
    name_words: NameWordsTable
    name_members: NameMembersTable
    runs: RunsTable
    run_rollups: RunRollupsTable
    run_sessions: RunSessionsTable
    call_intents: CallIntentsTable
    trace_spans: TraceSpansTable
    alerts: AlertsTable
    alert_states: AlertStatesTable
    alert_events: AlertEventsTable
    alert_deliveries: AlertDeliveriesTable
    saved_views: SavedViewsTable
    payload_days: PayloadDaysTable
    payloads: PayloadsTable
  }

/** Counters that never decrease, such as `live_seq`. */
export type MetaTable = { key: string; value: number }

export type UsersTable = AccessColumn & {
  id: string
  username: string
  /** NFKC and lower case, for comparisons that ignore case. */
  username_folded: string
  password_hash: string
  /** 1 while the built-in default password is active. */
  password_is_default: number
  role: 'viewer' | 'editor' | 'admin'
  /** `listed`: only the workspaces in `memberships`. */
  access: 'all' | 'listed'
  disabled: number
  must_change_password: number
  /** 1 if sign-in with the password also needs a code. */
  second_factor: number
  last_login_at: number | null
  created_at: number
  updated_at: number
}

export type SessionsTable = {
  id: string
  user_id: string
  created_at: number
  last_seen_at: number
  /** Absolute limit of the session; its idle limit follows from `last_seen_at`. */
  expires_at: number
  ip: string
  user_agent: string
  /** The paired device from which the user signed in. */
  device_id: string | null
  /** The method of the user's sign-in. */
  method: SignInMethod
}

export type PromptsTable = {
  id: string
  workspace_id: string
  key: string
  env: 'dev' | 'test' | 'prod'
  /** The part of the key before the last `/`. */
  folder: string
  name: string
  name_folded: string
  description: string
  category: string | null
  /** JSON array; `prompt_tags` has the same tags for search. */
  tags: string
  /** The newest version, which is served; 0 if never published. */
  version: number
  has_draft: number
  /** Increases with every change; used as ETag. */
  revision: number
  published_at: number | null
  created_by: string
  updated_by: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/**
 * The content of a version or a draft. `variables`: the variables as JSON. `messages`: JSON, null for a text.
 * `params`: JSON, null for none. `has_includes`: 1 if `{{> key}}` includes another prompt.
 */
type PromptBody = {
  content: string
  model: string | null
  variables: string
  messages: string | null
  params: string | null
  has_includes: number
}
export type PromptDraftsTable = PromptBody & { prompt_id: string }
export type PromptVersionsTable = PromptBody & {
  prompt_id: string
  version: number
  kind: 'create' | 'publish' | 'rollback' | 'promote' | 'import'
  from_env: 'dev' | 'test' | 'prod' | null
  from_version: number | null
  message: string
  created_by: string
  created_at: number
}
/** Includes of the served versions of prompts. Version 0: the served version of `key`. */
export type PromptIncludesTable = { key: string; prompt_id: string; version: number }
export type PromptTagsTable = { tag: string; prompt_id: string }
/** The words of a prompt and its draft, for prefix search. */
export type PromptWordsTable = { word: string; prompt_id: string }

export type ApiTokensTable = TokenColumns & {
  id: string
  name: string
  name_folded: string
  role: 'viewer' | 'editor' | 'admin'
  /** `listed`: only the workspaces in `memberships`. */
  access: 'all' | 'listed'
  /** SHA-256 of the secret, hexadecimal. */
  hash: string
  hint: string
  workspace_id: string | null
  /** Comma-separated; null means every environment. */
  namespaces: string | null
  /** The owner of the key that the gateway sends to a provider. Null: the token may not use the gateway. */
  gateway: 'provider_key' | 'own_key' | null
  expires_at: number | null
  last_used_at: number | null
  created_by: string
  created_by_id: string | null
  /** `undecided`: created before tokens had owners. `service`: not bound to an account. */
  binding: 'undecided' | 'owner' | 'service'
  owner_kind: 'user' | 'api_token' | null
  owner_id: string | null
  created_at: number
}

export type SettingsTable = { key: string; value: string; updated_at: number; updated_by: string }

export type AuditTable = {
  id: number
  created_at: number
  actor: string
  actor_id: string | null
  actor_kind: string
  action: string
  resource: string
  resource_id: string | null
  key: string | null
  workspace_id: string | null
  summary: string
  ip: string | null
  request_id: string | null
  /** JSON of the changed fields, or null. */
  before: string | null
  after: string | null
  prev_hash: string
  hash: string
}

/** The distinct words of the audit log. */
export type AuditTermsTable = { id: Generated<number>; word: string }

/** The audit entries in which each word occurs. */
export type AuditPostingsTable = { term_id: number; audit_id: number }

export type IdempotencyKeysTable = {
  actor: string
  route: string
  key: string
  body_hash: string
  status: number
  reply: string
  created_at: number
}
