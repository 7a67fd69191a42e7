import type { ProblemCode } from '../../contract/common/problem.ts'
import type { DefinitionHead } from '../../contract/definitions/definition.ts'
import type { AuditResource } from '../../contract/system/audit.ts'
import type { Query } from '../db/types.ts'
import { timeOf } from '../resources/changes.ts'
import { labelOf } from '../resources/versions.ts'
import type { DefinitionRow, Noun, VersionRow } from './definitions.store.ts'

/** The differences between agents and workflows. `B` is the behaviour as the wire has it. */
export type Kind<B> = {
  readonly noun: Noun & AuditResource
  readonly keyTaken: Extract<ProblemCode, 'agent.key_taken' | 'workflow.key_taken'>
  /** Returns the text that the search index contains. */
  readonly textOf: (behaviour: B) => string
  /** Stores the columns by which the list is filtered. */
  readonly storeFilterColumns?: (q: Query, id: string, behaviour: B) => Promise<void>
}

export const etagOf = (row: Pick<DefinitionRow, 'revision'>): string => `"${row.revision}"`

/** Returns the stored behaviour. It is not validated: the service wrote it, in the format of that time. */
export const behaviourOf = <B>(row: Pick<VersionRow, 'body'>): B => JSON.parse(row.body)

export function toWire<B>(row: DefinitionRow): DefinitionHead & B {
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

/** Returns the fields that the audit log compares: those that people change. */
export function factsOf<B>(row: DefinitionRow): Readonly<Record<string, unknown>> {
  const { id, created_by, updated_by, created_at, updated_at, etag, ...facts } = toWire<B>(row)
  return facts
}
