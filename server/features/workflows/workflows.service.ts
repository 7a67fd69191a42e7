import type { z } from 'zod'
import type { ImportDefinitionsBody } from '../../../contract/definition.ts'
import type {
  CreateWorkflowBody,
  ExportWorkflowsQuery,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  ValidateWorkflowBody,
  WorkflowCheck,
  WorkflowFinding,
  WorkflowRow,
} from '../../../contract/workflow.ts'
import type { WorkflowStep } from '../../../contract/workflow-step.ts'
import type { Query } from '../../db/types.ts'
import { requiredWorkspace } from '../../definitions/changes.ts'
import { allDefinitions, listDefinitions } from '../../definitions/definitions.read.ts'
import type { DefinitionRow } from '../../definitions/definitions.store.ts'
import { createDefinitions, type DefinitionsDeps } from '../../definitions/definitions.ts'
import { behaviourOf, type Kind } from '../../definitions/kind.ts'
import { createTransfer } from '../../definitions/transfer.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { invalid } from '../../lib/fail.ts'
import { behaviourFrom, behaviourIn, readSteps, type WorkflowBehaviour } from './behaviour.ts'
import { type AgentUse, checkSteps } from './check.ts'
import { placesOf } from './engine/result.ts'
import type { ReadyWorkflow } from './executions.service.ts'
import { executionStore } from './executions.store.ts'

export type WorkflowsDeps = DefinitionsDeps & {
  readonly hasAgent: (q: Query, workspaceId: string, key: string) => Promise<boolean>
}

/** Returns all texts in the steps of a workflow, for the search index. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const kind: Kind<WorkflowBehaviour> = {
  noun: 'workflow',
  keyTaken: 'workflow.key_taken',
  textOf: ({ steps }) => textsIn(steps).join(' '),
}

export type WorkflowsService = ReturnType<typeof createWorkflowsService>

export function createWorkflowsService(deps: WorkflowsDeps) {
  const { db, hasAgent } = deps
  const definitions = createDefinitions(deps, kind)
  const { store } = definitions.changes
  const everything = <T>(found: T): T => found
  const transfer = createTransfer(deps, kind, definitions, {
    read: behaviourIn,
    notes: async (q, { steps }, workspaceId) =>
      (await missingAgents(q, checkSteps(steps).agents, workspaceId)).map(({ message }) => message),
    write: ({ steps }) => ({ steps }),
  })

  /**
   * Returns a warning for each missing agent. It is not an error before a run, because the agent may be
   * created later.
   */
  async function missingAgents(
    q: Query,
    uses: readonly AgentUse[],
    workspaceId: string,
  ): Promise<WorkflowFinding[]> {
    const findings: WorkflowFinding[] = []
    for (const { path, step, key } of uses) {
      if (await hasAgent(q, workspaceId, key)) continue
      const message = `There is no agent ${key} in this workspace yet: a run is refused until there is`
      findings.push({ severity: 'warning', path, step, message })
    }
    return findings
  }

  async function stepsAt(id: string, version: number): Promise<readonly WorkflowStep[] | null> {
    const found = await store.findVersion(db.read, id, version)
    return found === undefined ? null : behaviourOf<WorkflowBehaviour>(found).steps
  }

  async function rowsToWire(isSummary: boolean, rows: readonly DefinitionRow[]) {
    const newest = new Map<string, WorkflowRow['last_run']>()
    for (const { id } of rows) {
      const run = await executionStore.newest(db.read, id)
      newest.set(id, run ? { ...run, created_at: new Date(run.created_at).toISOString() } : null)
    }
    return (row: DefinitionRow): WorkflowRow => {
      const workflow = definitions.wire(row)
      const added = { step_count: placesOf(workflow.steps).length, last_run: newest.get(row.id) ?? null }
      if (!isSummary) return { ...workflow, ...added }
      const { steps, ...rest } = workflow
      return { ...rest, ...added }
    }
  }

  return {
    list: (_ctx: Context, { fields, ...query }: z.output<typeof ListWorkflowsQuery>) =>
      listDefinitions(db.read, store, query, everything, (rows) => rowsToWire(fields === 'summary', rows)),
    get: definitions.get,
    create: (ctx: Context, body: z.output<typeof CreateWorkflowBody>) =>
      definitions.create(ctx, body, () => behaviourFrom(body.steps)),
    update: (ctx: Context, id: string, body: z.output<typeof UpdateWorkflowBody>, ifMatch: string | null) =>
      definitions.update(ctx, id, body, ifMatch, (_q, before) =>
        body.steps === undefined && before !== null ? before : behaviourFrom(body.steps ?? []),
      ),
    remove: definitions.remove,
    duplicate: definitions.duplicate,
    versions: definitions.versions,
    version: definitions.version,
    rollback: definitions.rollback,

    async export(
      ctx: Context,
      { format, ...filters }: z.output<typeof ExportWorkflowsQuery>,
    ): Promise<Download> {
      return transfer.export(ctx, format, await allDefinitions(db.read, store, filters, everything))
    },
    import: (ctx: Context, body: z.output<typeof ImportDefinitionsBody>) => transfer.import(ctx, body),

    async validate(_ctx: Context, body: z.output<typeof ValidateWorkflowBody>): Promise<WorkflowCheck> {
      const workspace = await requiredWorkspace(db.read, body.workspace_id)
      const read = readSteps(body.steps)
      if ('errors' in read) {
        const findings = read.errors.map(
          ({ path, message }): WorkflowFinding => ({
            severity: 'error',
            path,
            step: nameAt(body.steps, path),
            message,
          }),
        )
        return { ok: false, findings, variables: [], step_count: body.steps.length }
      }
      const { findings, variables, agents, count } = checkSteps(read.steps)
      const warnings = await missingAgents(db.read, agents, workspace.id)
      return {
        ok: findings.length === 0,
        findings: [...findings, ...warnings],
        variables: [...variables],
        step_count: count,
      }
    },

    /** Returns a version of a workflow. Throws 404, or 422 that names `version`. */
    async ready(ctx: Context, id: string, version?: number): Promise<ReadyWorkflow> {
      const now = await definitions.get(ctx, id)
      const number = version ?? Number(now.version.slice(1))
      const steps = await stepsAt(id, number)
      if (steps === null) throw invalid('version', `There is no v${number}; the newest is ${now.version}`)
      return { id, key: now.key, workspaceId: now.workspace_id, version: number, steps }
    },
    stepsAt,
    existing: async (q: Query, ids: readonly string[]): Promise<ReadonlySet<string>> =>
      new Set((await store.findAll(q, ids)).map(({ id }) => id)),
  }
}

/** Returns the name of the innermost step on a path, as far as the path exists. */
function nameAt(steps: readonly unknown[], path: string): string | null {
  let value: unknown = { steps }
  let name: string | null = null
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) break
    value = Reflect.get(value, part)
    const own: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : null
    if (typeof own === 'string') name = own.slice(0, 64)
  }
  return name
}
