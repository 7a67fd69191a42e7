import type { z } from 'zod'
import type { ExportPromptsQuery, ImportReport, TransferFormat } from '../../../contract/prompt-transfer.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { writeYamlList } from '../../resources/yaml-list.ts'
import { addDraft, apply, isToldOtherwise, serve } from './changes.ts'
import { type ExportedPrompt, exported } from './formats/exported.ts'
import { toLangfuse, toPromptOps } from './formats/foreign.ts'
import { writeMarkdown } from './formats/markdown.ts'
import type { ReadPrompts } from './formats/read-all.ts'
import { requiredWorkspace } from './policy.ts'
import { allMatching, wholeRows } from './prompts.read.ts'
import type { WholeRow } from './prompts.store.ts'
import { draftOf, factsOf, framesOf, servedFacts, toWire } from './prompts.wire.ts'
import { type ImportBody, type Placed, type Plan, planItem } from './transfer.plan.ts'

export type TransferDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly readFiles: ReadPrompts
}

export type TransferService = ReturnType<typeof createTransferService>

const perChunk = 100
/** Items after which the import yields to the event loop. */
const breath = 20

const files: Readonly<Record<TransferFormat, { ending: string; type: string }>> = {
  json: { ending: 'json', type: 'application/json; charset=utf-8' },
  yaml: { ending: 'yaml', type: 'application/yaml; charset=utf-8' },
  markdown: { ending: 'md', type: 'text/markdown; charset=utf-8' },
  promptops: { ending: 'promptops.json', type: 'application/json; charset=utf-8' },
  langfuse: { ending: 'langfuse.json', type: 'application/json; charset=utf-8' },
}

export function createTransferService({ db, history, newId, readFiles }: TransferDeps) {
  return {
    async export(
      ctx: Context,
      { format, id, ...filters }: z.output<typeof ExportPromptsQuery>,
    ): Promise<Download> {
      const ids = await allMatching(db.read, filters, id)
      // Record the export before the first byte, so that it is in the audit log even if it does not finish.
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: 'prompt',
            resourceId: null,
            key: null,
            summary: `Exported ${ids.length} prompts as ${format}`,
          }),
        { evenWhenFull: true },
      )
      const { ending, type } = files[format]
      return {
        filename: `prompts-${ctx.now.toISOString().slice(0, 10)}.${ending}`,
        contentType: type,
        chunks: write(format, read(ids)),
      }
    },

    async import(ctx: Context, body: ImportBody): Promise<ImportReport> {
      const { placed, format } = await readFiles(ctx, body)
      if (body.preview) return reportOf(await planAll(db.read, ctx, body, placed), format, true)
      return db.write(
        async (tx) => {
          const plans = await planAll(tx.q, ctx, body, placed)
          refuseAll(plans, body)
          const done: Plan[] = []
          for (const [index, plan] of plans.entries()) {
            done.push(await carryOut(tx, ctx, plan))
            if (index % breath === breath - 1) await new Promise((resolve) => setImmediate(resolve))
          }
          return reportOf(done, format, false)
        },
        { isLong: true },
      )
    },
  }

  async function* read(ids: readonly string[]): AsyncGenerator<ExportedPrompt> {
    for (let from = 0; from < ids.length; from += perChunk) {
      const rows = await wholeRows(db.read, ids.slice(from, from + perChunk), false)
      for (const row of rows) if (row.deleted_at === null) yield exported(toWire(row))
    }
  }

  async function planAll(
    q: Query,
    ctx: Context,
    body: ImportBody,
    placed: readonly Placed[],
  ): Promise<Plan[]> {
    const workspace = await requiredWorkspace(q, body.workspace_id)
    const seen = new Set<string>()
    const plans: Plan[] = []
    for (const one of placed) plans.push(await planItem(q, ctx, { placed: one, body, workspace, seen }))
    return plans
  }

  /** Writes one prompt of the import, with its own audit entry and frame. */
  async function carryOut(tx: Tx, ctx: Context, plan: Plan): Promise<Plan> {
    const { item, existing, change, isPublished, key, env } = plan
    if (change === null || item.outcome === 'unchanged') return plan
    const { workspace, ...said } = change
    const draft =
      existing === null
        ? await addDraft(tx, ctx, { id: newId(), workspace, key, env, ...said })
        : await apply(tx, ctx, existing, change)
    const origin = {
      kind: 'import',
      message: `Imported from ${item.file}`.slice(0, 1000),
      draft: 'replaced',
    } as const
    const after = isPublished ? await serve(tx, ctx, draft, draftOf(draft), origin) : draft
    const prompt = toWire(after)
    const isTold = existing !== null && isToldOtherwise(existing, change)
    await history.record(tx, ctx, {
      action: existing === null ? 'create' : isPublished ? 'publish' : 'update',
      resource: 'prompt',
      resourceId: after.id,
      key,
      workspaceId: workspace.id,
      summary: `Imported ${key} in ${env}${isPublished ? ` and published ${prompt.version}` : ' as a draft'}`,
      ...(existing !== null && { before: auditOf(existing, isPublished) }),
      after: auditOf(after, isPublished && existing !== null),
      promptEvents: eventsOf(existing, after, isPublished, isTold),
    })
    return { ...plan, item: { ...item, id: after.id } }
  }
}

const auditOf = (row: WholeRow, isPublished: boolean) => {
  const prompt = toWire(row)
  return isPublished ? { ...factsOf(prompt), ...servedFacts(prompt) } : factsOf(prompt)
}

function eventsOf(existing: WholeRow | null, after: WholeRow, isPublished: boolean, isTold: boolean) {
  if (existing === null || existing.version === 0) return framesOf('prompt.created', after)
  if (isPublished) return framesOf('prompt.published', after)
  return isTold ? framesOf('prompt.updated', after) : []
}

/** Throws a problem with the reason for each refused item: one refused item refuses the import. */
function refuseAll(plans: readonly Plan[], body: ImportBody): void {
  const errors = plans.flatMap(({ item }) => {
    const number = body.files.findIndex((file) => file.name === item.file)
    return item.errors.map(({ path, message }) => ({
      path: `files.${number}.${item.index}.${path}`,
      message: `${item.key ?? `item ${item.index}`} in ${item.file}: ${message}`,
    }))
  })
  const [first] = errors
  if (first === undefined) return
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `Nothing was imported. ${first.message}${more}`, errors })
}

function reportOf(plans: readonly Plan[], format: ImportReport['format'], preview: boolean): ImportReport {
  const count = (outcome: string) => plans.filter(({ item }) => item.outcome === outcome).length
  return {
    preview,
    format,
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    skipped: count('skip'),
    refused: count('refuse'),
    items: plans.map(({ item }) => item),
  }
}

async function* write(
  format: TransferFormat,
  prompts: AsyncIterable<ExportedPrompt>,
): AsyncGenerator<string> {
  if (format === 'markdown') {
    for await (const prompt of prompts) yield writeMarkdown(prompt)
    return
  }
  if (format === 'yaml') {
    yield* writeYamlList('prompts', prompts)
    return
  }
  const shape = { json: (prompt: ExportedPrompt) => prompt, promptops: toPromptOps, langfuse: toLangfuse }[
    format
  ]
  yield format === 'json'
    ? '{"format":"promptdeck","prompts":['
    : format === 'langfuse'
      ? '{"data":['
      : '{"prompts":['
  let separator = '\n'
  for await (const prompt of prompts) {
    yield separator + JSON.stringify(shape(prompt), null, 2)
    separator = ',\n'
  }
  yield '\n]}\n'
}
