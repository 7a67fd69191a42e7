import type { z } from 'zod'
import type {
  CreateWorkflowBody,
  ExportWorkflowsQuery,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  ValidateWorkflowBody,
  WorkflowCheck,
  WorkflowFinding,
  WorkflowRow,
} from '../../../contract/workflows/workflow.ts'
import type { WorkflowStep } from '../../../contract/workflows/workflow-step.ts'
import type { Query } from '../../db/types.ts'
import { type Definitions, required } from '../../definitions/changes.ts'
import { allDefinitions, listDefinitions } from '../../definitions/definitions.read.ts'
import type { DefinitionRow } from '../../definitions/definitions.store.ts'
import { createDefinitions, type DefinitionsDeps } from '../../definitions/definitions.ts'
import { behaviourOf, type Kind, toWire } from '../../definitions/kind.ts'
import { createTransfer } from '../../definitions/transfer.ts'
import type { Context, Scope } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { invalid } from '../../lib/fail.ts'
import { requiredWorkspace } from '../../resources/required-workspace.ts'
import { labelOf } from '../../resources/versions.ts'
import {
  importedBehaviour,
  readSteps,
  validBehaviour,
  type WorkflowBehaviour,
} from './definition/behaviour.ts'
import { type AgentUse, checkSteps, type HasProvider, missingProviders } from './definition/check.ts'
import { flattenSteps } from './engine/result.ts'
import { executionStore } from './executions/executions.store.ts'
import type { ReadyWorkflow } from './executions/start.ts'

export type WorkflowsDeps = DefinitionsDeps & {
  readonly hasAgent: (q: Query, workspaceId: string, key: string) => Promise<boolean>
  readonly hasProvider: HasProvider
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
  const { db, hasProvider } = deps
  const { definitions, create, update, operations } = createDefinitions(deps, kind)
  const { store } = definitions
  const missingAgents = agentFindings(deps)
  const noFilter = <T>(found: T): T => found
  const transfer = createTransfer(
    { ...definitions, readFiles: deps.readFiles },
    {
      read: (fields, before) => importedBehaviour(fields, before, hasProvider),
      notes: async (q, { steps }, workspaceId) =>
        (await missingAgents(q, checkSteps(steps).agents, workspaceId)).map(({ message }) => message),
      write: ({ steps }) => ({ steps }),
    },
  )

  return {
    ...operations,
    ...runnable(definitions),
    list: (ctx: Context, { fields, ...query }: z.output<typeof ListWorkflowsQuery>) =>
      listDefinitions(db.read, ctx.scope, store, query, noFilter, (rows) =>
        rowsToWire(db.read, ctx.scope, fields === 'summary', rows),
      ),
    create: (ctx: Context, body: z.output<typeof CreateWorkflowBody>) =>
      create(ctx, body, () => validBehaviour(body.steps, hasProvider)),
    update: (ctx: Context, id: string, body: z.output<typeof UpdateWorkflowBody>, ifMatch: string | null) =>
      update(ctx, id, body, ifMatch, (_q, before) =>
        body.steps === undefined && before !== null ? before : validBehaviour(body.steps ?? [], hasProvider),
      ),

    async export(
      ctx: Context,
      { format, ...filters }: z.output<typeof ExportWorkflowsQuery>,
    ): Promise<Download> {
      const ids = await allDefinitions(db.read, ctx.scope, store, filters, noFilter)
      return transfer.export(ctx, format, ids)
    },
    import: transfer.import,

    async validate(ctx: Context, body: z.output<typeof ValidateWorkflowBody>): Promise<WorkflowCheck> {
      const workspace = await requiredWorkspace(db.read, ctx.scope, body.workspace_id)
      return checkOf(body.steps, hasProvider, (agents) => missingAgents(db.read, agents, workspace.id))
    },
  }
}

/**
 * Returns a function that returns a warning for each missing agent. It is not an error before a run, because
 * the agent may be created later.
 */
const agentFindings =
  ({ hasAgent }: Pick<WorkflowsDeps, 'hasAgent'>) =>
  async (q: Query, uses: readonly AgentUse[], workspaceId: string): Promise<WorkflowFinding[]> => {
    const findings: WorkflowFinding[] = []
    for (const { path, step, key } of uses) {
      if (await hasAgent(q, workspaceId, key)) continue
      const message = `Agent ${key} not found in this workspace: runs are rejected until it is created`
      findings.push({ severity: 'warning', path, step, message })
    }
    return findings
  }

async function rowsToWire(q: Query, scope: Scope, isSummary: boolean, rows: readonly DefinitionRow[]) {
  const newest = new Map<string, WorkflowRow['last_run']>()
  for (const { id } of rows) {
    const run = await executionStore.newest(q, scope, id)
    newest.set(id, run ? { ...run, created_at: new Date(run.created_at).toISOString() } : null)
  }
  return (row: DefinitionRow): WorkflowRow => {
    const workflow = toWire<WorkflowBehaviour>(row)
    const added = { step_count: flattenSteps(workflow.steps).length, last_run: newest.get(row.id) ?? null }
    if (!isSummary) return { ...workflow, ...added }
    const { steps, ...rest } = workflow
    return { ...rest, ...added }
  }
}

/** Returns the findings of steps, which may be anything. */
async function checkOf(
  steps: readonly unknown[],
  hasProvider: HasProvider,
  warningsOf: (agents: readonly AgentUse[]) => Promise<WorkflowFinding[]>,
): Promise<WorkflowCheck> {
  const read = readSteps(steps)
  if ('errors' in read) {
    const findings = read.errors.map(
      ({ path, message }): WorkflowFinding => ({
        severity: 'error',
        path,
        step: nameAt(steps, path),
        message,
      }),
    )
    return { ok: false, findings, variables: [], step_count: steps.length }
  }
  const checked = checkSteps(read.steps)
  const { variables, agents, count } = checked
  const findings = [...checked.findings, ...missingProviders(checked, hasProvider)]
  const warnings = await warningsOf(agents)
  return {
    ok: findings.length === 0,
    findings: [...findings, ...warnings],
    variables: [...variables],
    step_count: count,
  }
}

/** The operations that prepare a run. */
function runnable(definitions: Definitions<WorkflowBehaviour>) {
  const { db, store } = definitions
  async function stepsAt(id: string, version: number): Promise<readonly WorkflowStep[] | null> {
    const found = await store.findVersion(db.read, id, version)
    return found === undefined ? null : behaviourOf<WorkflowBehaviour>(found).steps
  }
  return {
    /** Returns a version of a workflow. Throws 404, or 422 that names `version`. */
    async ready(ctx: Context, id: string, version?: number): Promise<ReadyWorkflow> {
      const row = await required(definitions, db.read, ctx.scope, id)
      const { key, workspace_id: workspaceId, version: newest } = row
      const number = version ?? newest
      const steps = await stepsAt(id, number)
      if (steps === null)
        throw invalid('version', `Version v${number} not found; the newest is ${labelOf(newest)}`)
      return { id, key, workspaceId, version: number, steps }
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
    const stepName: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : null
    if (typeof stepName === 'string') name = stepName.slice(0, 64)
  }
  return name
}
