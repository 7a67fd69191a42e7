import type { Agent } from '../../contract/agent.ts'
import type { AuditResource } from '../../contract/audit.ts'
import type { ProblemCode } from '../../contract/problem.ts'
import type { Query } from '../db/types.ts'
import type { DefinitionRow, Noun, VersionRow } from './definitions.store.ts'

/** What tells agents from workflows. `B`: the behaviour, as the wire shows it. */
export type Kind<B> = {
  readonly noun: Noun & AuditResource
  readonly keyTaken: Extract<ProblemCode, 'agent.key_taken' | 'workflow.key_taken'>
  /** The texts it is found by. */
  readonly textOf: (behaviour: B) => string
  /** Keeps beside the row what its list is filtered by. */
  readonly mark?: (q: Query, id: string, behaviour: B) => Promise<void>
}

/** What is said of every definition; the behaviour stands beside it. */
export type Said = Pick<
  Agent,
  | 'id'
  | 'workspace_id'
  | 'key'
  | 'name'
  | 'description'
  | 'version'
  | 'created_by'
  | 'updated_by'
  | 'created_at'
  | 'updated_at'
  | 'etag'
>

export const labelOf = (version: number): string => `v${version}`
export const etagOf = (row: Pick<DefinitionRow, 'revision'>): string => `"${row.revision}"`
const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Written by us, in the form it had then. */
export const behaviourOf = <B>(row: Pick<VersionRow, 'body'>): B => JSON.parse(row.body)

export function toWire<B>(row: DefinitionRow): Said & B {
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    key: row.key,
    name: row.name,
    description: row.description,
    ...behaviourOf<B>(row),
    version: labelOf(row.version),
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
    etag: etagOf(row),
  }
}

export function versionToWire<B>(row: VersionRow, current: number) {
  return {
    version: labelOf(row.version),
    kind: row.kind,
    from: row.from_version === null ? null : labelOf(row.from_version),
    message: row.message,
    current: row.version === current,
    ...behaviourOf<B>(row),
    created_by: row.created_by,
    created_at: timeOf(row.created_at),
  }
}

/** What the audit log tells of it: what people change. */
export function factsOf<B>(row: DefinitionRow): Readonly<Record<string, unknown>> {
  const { id, created_by, updated_by, created_at, updated_at, etag, ...facts } = toWire<B>(row)
  return facts
}
