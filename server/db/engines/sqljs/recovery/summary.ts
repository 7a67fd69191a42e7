import type { Engine } from '../sqlite/engine.ts'

/** The extent of a state of the store, in figures that a person can compare. */
export type StateSummary = {
  readonly transaction: number
  /** Number of the newest audit entry; 0 if there is none. */
  readonly auditEntry: number
  /** Id of the newest run; 0 if there is none. */
  readonly runId: number
  /** Time of the newest audit entry or run; null if there is none. */
  readonly changedAt: string | null
  /** The first and the newest audit entry. */
  readonly hashes?: ReturnType<Engine['execute']>['rows']
}

export function summarize(engine: Engine, transaction: number): StateSummary {
  const audit = newest(engine, 'audit')
  const run = newest(engine, 'runs')
  const changed = Math.max(audit.at, run.at)
  return {
    transaction,
    auditEntry: audit.id,
    runId: run.id,
    changedAt: changed === 0 ? null : new Date(changed).toISOString(),
    hashes:
      audit.id === 0 ? [] : engine.execute('SELECT id, hash FROM audit WHERE id IN (1, ?)', [audit.id]).rows,
  }
}

/** Returns what a restore loses. A backup with other audit entries is of another installation or an abandoned history. */
export function lossOfRestore(engine: Engine, transaction: number, present: StateSummary): string[] {
  const isOther = present.hashes?.some(
    ({ id = null, hash = null }) =>
      engine.execute('SELECT 1 FROM audit WHERE id = ? AND hash <> ?', [id, hash]).rows.length > 0,
  )
  if (isOther !== true) return describeLoss(summarize(engine, transaction), present)
  const nothing = { transaction: 0, auditEntry: 0, runId: 0, changedAt: null }
  return ['the backup does not continue the previous data:', ...describeLoss(nothing, present)]
}

function newest(engine: Engine, table: 'audit' | 'runs'): { readonly id: number; readonly at: number } {
  const [found] = engine.execute(`SELECT name FROM sqlite_master WHERE name = ?`, [table]).rows
  if (found === undefined) return { id: 0, at: 0 }
  const [row] = engine.execute(`SELECT id, created_at FROM ${table} ORDER BY id DESC LIMIT 1`, []).rows
  return { id: Number(row?.['id'] ?? 0), at: Number(row?.['created_at'] ?? 0) }
}

/** Returns what is in `present` and not in `kept`, as lines for a person. Empty if nothing is lost. */
export function describeLoss(kept: StateSummary, present: StateSummary): string[] {
  const lines = [
    range('transaction', 'transactions', kept.transaction, present.transaction),
    range('entry of the audit log', 'entries of the audit log', kept.auditEntry, present.auditEntry),
    range('run', 'runs', kept.runId, present.runId),
  ].filter((line) => line !== null)
  if (lines.length === 0 || present.changedAt === null) return lines
  const since = kept.changedAt === null ? '' : `after ${kept.changedAt}, `
  return [...lines, `written ${since}up to ${present.changedAt}`]
}

function range(singular: string, plural: string, from: number, to: number): string | null {
  if (to <= from) return null
  return to === from + 1 ? `1 ${singular} (${to})` : `${to - from} ${plural} (${from + 1} to ${to})`
}
