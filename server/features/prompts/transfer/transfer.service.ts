import type { z } from 'zod'
import {
  type ExportPreview,
  type ExportPromptsQuery,
  type ImportReport,
  maxLosses,
} from '../../../../contract/prompts/prompt-transfer.ts'
import type { Db, Query, Tx } from '../../../db/types.ts'
import type { History, PromptFacts } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import type { Download } from '../../../lib/download.ts'
import type { NewId } from '../../../lib/ids.ts'
import { exportFile, readInChunks } from '../../../resources/transfer/export.ts'
import { importItems, importMessage } from '../../../resources/transfer/import.ts'
import type { PlannedChange } from '../../../resources/transfer/kind.ts'
import { type ExportedPrompt, toExported } from '../formats/exported.ts'
import { lossesOf } from '../formats/losses.ts'
import type { ImportBody } from '../formats/raw.ts'
import type { ReadPrompts } from '../formats/read-all.ts'
import { fileTypeOf } from '../formats/write.ts'
import { allMatching, wholeRows } from '../list/prompts.read.ts'
import { addDraft, applyChange, hasUnversionedChange, serve } from '../state/changes.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import {
  draftOf,
  factsOf,
  framesOf,
  framesWithDependents,
  servedFacts,
  toWire,
} from '../state/prompts.wire.ts'
import { type ImportedChange, type PromptImport, promptImport } from './import.kind.ts'
import { includedFirst } from './order.ts'
import { withPrefixedIncludes } from './prefix.ts'

export type TransferDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly readFiles: ReadPrompts
}

export type TransferService = ReturnType<typeof createTransferService>

export function createTransferService(deps: TransferDeps) {
  const { db } = deps
  return {
    async export(
      ctx: Context,
      { format, id, ...filters }: z.output<typeof ExportPromptsQuery>,
    ): Promise<Download> {
      const ids = await allMatching(db.read, ctx.scope, filters, id)
      const { write, ...type } = fileTypeOf(format, ids.length)
      const chunks = write(exportedPrompts(db, ids))
      return exportFile(deps, ctx, { noun: 'prompt', count: ids.length, format }, { ...type, chunks })
    },

    /** Returns the fields that a file in this format would not contain, or not unchanged. */
    async previewExport(
      ctx: Context,
      { format, id, ...filters }: z.output<typeof ExportPromptsQuery>,
    ): Promise<ExportPreview> {
      const ids = await allMatching(db.read, ctx.scope, filters, id)
      const losses: ExportPreview['losses'] = []
      let [complete, count] = [0, 0]
      for await (const prompt of exportedPrompts(db, ids)) {
        const found = lossesOf(prompt, format)
        if (found.length === 0) complete += 1
        count += found.length
        const { key, env } = prompt
        losses.push(...found.slice(0, maxLosses - losses.length).map((loss) => ({ key, env, ...loss })))
      }
      return { format, prompts: ids.length, complete, losses, truncated: count > losses.length }
    },

    async import(ctx: Context, body: ImportBody): Promise<ImportReport> {
      const { placed, format } = await deps.readFiles(ctx, body)
      const kind: PromptImport = {
        ...promptImport(ctx, body),
        inOrder: includedFirst,
        writeItem: (tx, context, plan) => writeItem(deps, tx, context, plan),
      }
      const report = await importItems(db, ctx, kind, body, withPrefixedIncludes(body, placed))
      return { ...report, format }
    },
  }
}

async function* exportedPrompts(db: Db, ids: readonly string[]): AsyncGenerator<ExportedPrompt> {
  for await (const row of readInChunks(ids, (chunk) => wholeRows(db.read, chunk, false))) {
    if (row.deleted_at === null) yield toExported(toWire(row))
  }
}

/** Writes one prompt of the import, with its own audit entry and frame. Returns its id. */
async function writeItem(
  { history, newId }: Pick<TransferDeps, 'history' | 'newId'>,
  tx: Tx,
  ctx: Context,
  {
    existing,
    placed,
    place: { key },
    change: { change, env, isPublished },
  }: PlannedChange<WholeRow, ImportedChange>,
): Promise<string> {
  const draft =
    existing === null
      ? await addDraft(tx, ctx, { id: newId(), key, env, ...change })
      : await applyChange(tx, ctx, existing, change)
  const origin = { kind: 'import', message: importMessage(placed), draft: 'replaced' } as const
  const after = isPublished ? await serve(tx, ctx, draft, draftOf(draft), origin) : draft
  const isUnversionedChanged = existing !== null && hasUnversionedChange(existing, change)
  const result = isPublished ? ` and published ${toWire(after).version}` : ' as a draft'
  await history.record(tx, ctx, {
    action: existing === null ? 'create' : isPublished ? 'publish' : 'update',
    resource: 'prompt',
    resourceId: after.id,
    key,
    workspaceId: change.workspace.id,
    summary: `Imported ${key} in ${env}${result}`,
    ...(existing !== null && { before: auditOf(existing, isPublished) }),
    after: auditOf(after, isPublished && existing !== null),
    promptEvents: await eventsOf(tx.q, existing, after, isPublished, isUnversionedChanged),
  })
  return after.id
}

const auditOf = (row: WholeRow, isPublished: boolean) => {
  const prompt = toWire(row)
  return isPublished ? { ...factsOf(prompt), ...servedFacts(prompt) } : factsOf(prompt)
}

function eventsOf(
  q: Query,
  existing: WholeRow | null,
  after: WholeRow,
  isPublished: boolean,
  isUnversionedChanged: boolean,
): Promise<PromptFacts[]> | PromptFacts[] {
  if (existing === null || existing.version === 0) return framesWithDependents(q, 'prompt.created', after)
  if (isPublished) return framesWithDependents(q, 'prompt.published', after)
  return isUnversionedChanged ? framesOf('prompt.updated', after) : []
}
