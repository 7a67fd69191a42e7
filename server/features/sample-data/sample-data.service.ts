import type { RunReport } from '../../../contract/runs/run.ts'
import type { SampleData, SampleKind } from '../../../contract/system/sample-data.ts'
import type { Db } from '../../db/types.ts'
import { createSerialQueue } from '../../lib/async/serial-queue.ts'
import type { Context } from '../../lib/context.ts'
import {
  addSampleItem,
  allSampleItems,
  deleteSampleItem,
  itemsWithKeys,
  type SampleItem,
} from './sample-data.store.ts'
import { runPrefix, sampleDays, sampleRuns } from './sample-runs.ts'
import {
  sampleAgents,
  sampleChange,
  sampleKeys,
  samplePrompts,
  sampleWorkflows,
  sampleWorkspace,
} from './samples.ts'

/** The operations of the services, which check, store and audit as for any other caller. Each returns an id. */
export type SampleServices = {
  readonly workspace: (ctx: Context, body: typeof sampleWorkspace) => Promise<string>
  readonly prompt: (ctx: Context, body: object) => Promise<string>
  readonly publish: (ctx: Context, id: string, change: typeof sampleChange) => Promise<unknown>
  /** Copies the served version of a prompt to `prod`. */
  readonly promote: (ctx: Context, id: string) => Promise<string>
  readonly agent: (ctx: Context, body: object) => Promise<string>
  readonly workflow: (ctx: Context, body: object) => Promise<string>
  /** Reports runs of an app, all or none. */
  readonly report: (ctx: Context, runs: readonly RunReport[]) => Promise<unknown>
  /** Sample runs by the prefix of their `client_run_id`. */
  readonly runs: RunRemoval
  /** Deletes an item permanently. An item that does not exist is no error. */
  readonly remove: Readonly<Record<SampleKind, (ctx: Context, id: string) => Promise<unknown>>>
}

/** The part of the run log that counts and removes reported runs. */
export type RunRemoval = {
  readonly count: (prefix: string) => Promise<number>
  readonly remove: (ctx: Context, prefix: string, summary: (count: number) => string) => Promise<number>
}

type Deps = {
  readonly db: Db
  readonly services: SampleServices
  /** Days after which runs are deleted. */
  readonly runRetentionDays: () => number
}

export type SampleDataService = ReturnType<typeof createSampleData>

/** The sample data: created through the services, and marked, so that all of it can be removed. */
export function createSampleData(deps: Deps) {
  const changes = createSerialQueue()
  return {
    get: (_ctx: Context) => statusOf(deps),
    create: (ctx: Context) => changes.run(() => create(deps, ctx)),
    remove: (ctx: Context) => changes.run(() => remove(deps, ctx)),
  }
}

async function statusOf({ db, services }: Deps): Promise<SampleData> {
  const items = await allSampleItems(db.read)
  const workspace = items.find(({ kind }) => kind === 'workspace')
  const runs = workspace === undefined ? 0 : await services.runs.count(runPrefix(workspace.id))
  return { present: items.length > 0, workspace_id: workspace?.id ?? null, items: items.length, runs }
}

async function create(deps: Deps, ctx: Context): Promise<SampleData> {
  const before = await statusOf(deps)
  if (before.present) return before
  try {
    await createAll(deps, ctx)
  } catch (error) {
    // Sample data that was created only in part would look complete.
    await remove(deps, ctx)
    throw error
  }
  return statusOf(deps)
}

async function createAll({ db, services, runRetentionDays }: Deps, ctx: Context): Promise<void> {
  const marked = async (kind: SampleKind, created: Promise<string>): Promise<string> => {
    const id = await created
    await db.write((tx) => addSampleItem(tx.q, { kind, id }))
    return id
  }
  const workspace_id = await marked('workspace', services.workspace(ctx, sampleWorkspace))
  for (const prompt of samplePrompts) {
    const id = await marked('prompt', services.prompt(ctx, { ...prompt, workspace_id }))
    if (prompt.key === sampleChange.key) await services.publish(ctx, id, sampleChange)
    await marked('prompt', services.promote(ctx, id))
  }
  for (const agent of sampleAgents) await marked('agent', services.agent(ctx, { ...agent, workspace_id }))
  for (const workflow of sampleWorkflows)
    await marked('workflow', services.workflow(ctx, { ...workflow, workspace_id }))
  const days = Math.min(sampleDays, runRetentionDays())
  await services.report(ctx, sampleRuns({ workspaceId: workspace_id, now: ctx.now, days }))
}

/** Items that use others are deleted first, and the workspace last, because it moves the items in it. */
const removalOrder: readonly SampleKind[] = ['workflow', 'agent', 'prompt', 'workspace']

async function remove(deps: Deps, ctx: Context): Promise<SampleData> {
  const { db, services } = deps
  const items = await sampleItems(db)
  const workspace = items.find(({ kind }) => kind === 'workspace')
  // Before the mark of the workspace, whose id their prefix contains.
  if (workspace !== undefined)
    await services.runs.remove(ctx, runPrefix(workspace.id), (count) => `Deleted ${count} sample runs`)
  for (const kind of removalOrder) {
    for (const item of items.filter((each) => each.kind === kind)) {
      await services.remove[kind](ctx, item.id)
      await db.write((tx) => deleteSampleItem(tx.q, item), { evenWhenFull: true })
    }
  }
  return statusOf(deps)
}

/** The marked items, and the copies of them in the sample workspace. */
async function sampleItems(db: Db): Promise<readonly SampleItem[]> {
  const marked = await allSampleItems(db.read)
  const workspace = marked.find(({ kind }) => kind === 'workspace')
  const copies = workspace === undefined ? [] : await itemsWithKeys(db.read, workspace.id, sampleKeys)
  const isMarked = (item: SampleItem) => marked.some(({ kind, id }) => kind === item.kind && id === item.id)
  return [...marked, ...copies.filter((item) => !isMarked(item))]
}
