import type { z } from 'zod'
import type { Prompt } from '../../../contract/prompt.ts'
import type { PromptFacets } from '../../../contract/prompt-list.ts'
import type {
  CreatePromptBody,
  DuplicatePromptBody,
  ReplacePromptBody,
  UpdatePromptBody,
} from '../../../contract/prompts.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { freeKey } from '../../resources/free-key.ts'
import { bodyOf } from './body.ts'
import { addDraft, serve, setDeleted } from './changes.ts'
import { messageWith } from './label.ts'
import {
  required,
  requiredDeleted,
  requiredWorkspace,
  requireFree,
  requireState,
  requireUnprotected,
  workspaceOf,
} from './policy.ts'
import { type ListQuery, listPrompts, readFacets, type Usage } from './prompts.read.ts'
import { idAt, type WholeRow } from './prompts.store.ts'
import { draftOf, factsOf, framesOf, labelOf, toWire } from './prompts.wire.ts'
import { asksToPublish, save, saveAndPublish } from './save.ts'

export type PromptsDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  /** Returns a function that counts the live clients of a key, for one page of keys. */
  readonly usage: () => Usage
}

type Filters = { readonly workspace?: string[] | undefined; readonly env?: Prompt['env'][] | undefined }

export type PromptsService = ReturnType<typeof createPromptsService>

export function createPromptsService({ db, history, newId, usage }: PromptsDeps) {
  const inTransaction = async (q: Query, id: string, ifMatch: string | null): Promise<WholeRow> => {
    const row = await required(q, id)
    requireState(ifMatch, row)
    return row
  }

  return {
    list: (_ctx: Context, query: ListQuery) => listPrompts(db.read, query, usage()),

    facets: (_ctx: Context, query: Filters): Promise<PromptFacets> => readFacets(db.read, query),

    async get(_ctx: Context, id: string): Promise<Prompt> {
      return toWire(await required(db.read, id))
    },

    create(ctx: Context, body: z.output<typeof CreatePromptBody>): Promise<Prompt> {
      return db.write(async (tx) => {
        const workspace = await requiredWorkspace(tx.q, body.workspace_id ?? 'default')
        const { key, env, content = '' } = body
        // An empty prompt cannot be served, so it begins as a draft unless the request says otherwise.
        const isDraft = body.draft ?? content === ''
        if (!isDraft) requireUnprotected(ctx, workspace, env)
        await requireFree(tx.q, workspace, { key, env })
        const draft = await addDraft(tx, ctx, {
          id: newId(),
          workspace,
          key,
          env,
          name: body.name ?? key,
          description: body.description ?? '',
          category: body.category ?? null,
          tags: body.tags ?? [],
          body: bodyOf(content, body.model ?? null, body.variables ?? []),
        })
        const message = messageWith(body.version ?? null, 1, body.message)
        const origin = { kind: 'create', message, draft: 'replaced' } as const
        const row = isDraft ? draft : await serve(tx, ctx, draft, draftOf(draft), origin)
        const prompt = toWire(row)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'prompt',
          resourceId: row.id,
          key,
          workspaceId: workspace.id,
          summary: `Created the prompt ${key} in ${env}${isDraft ? ' as a draft' : ' and published v1'}`,
          after: factsOf(prompt),
          promptEvents: framesOf('prompt.created', row),
        })
        return prompt
      })
    },

    update(
      ctx: Context,
      id: string,
      body: z.output<typeof UpdatePromptBody>,
      ifMatch: string | null,
    ): Promise<Prompt> {
      return db.write(async (tx) => save(history, tx, ctx, await inTransaction(tx.q, id, ifMatch), body))
    },

    /** Like `update`. A version label other than the current one also publishes the change. */
    replace(
      ctx: Context,
      id: string,
      { version: label, ...body }: z.output<typeof ReplacePromptBody>,
      ifMatch: string | null,
    ): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await inTransaction(tx.q, id, ifMatch)
        if (!asksToPublish(label, row)) return save(history, tx, ctx, row, body)
        return saveAndPublish(history, tx, ctx, row, { body, label, isSeen: ifMatch !== null })
      })
    },

    remove(ctx: Context, id: string, ifMatch: string | null): Promise<{ ok: true }> {
      return db.write(
        async (tx) => {
          const row = await required(tx.q, id)
          requireUnprotected(ctx, workspaceOf(row), row.env)
          requireState(ifMatch, row)
          await setDeleted(tx, ctx, row, ctx.now.getTime())
          await history.record(tx, ctx, {
            action: 'delete',
            resource: 'prompt',
            resourceId: id,
            key: row.key,
            workspaceId: row.workspace_id,
            summary: `Deleted the prompt ${row.key} in ${row.env}${row.version === 0 ? '' : `, served as ${labelOf(row.version)}`}`,
            before: factsOf(toWire(row)),
            promptEvents: framesOf('prompt.deleted', row),
          })
          return { ok: true }
        },
        { evenWhenFull: true },
      )
    },

    restore(ctx: Context, id: string, ifMatch: string | null): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await requiredDeleted(tx.q, id)
        const { key, env } = row
        if (row.version > 0) requireUnprotected(ctx, workspaceOf(row), env)
        requireState(ifMatch, row)
        await requireFree(tx.q, workspaceOf(row), { key, env })
        const after = await setDeleted(tx, ctx, row, null)
        const prompt = toWire(after)
        await history.record(tx, ctx, {
          action: 'restore',
          resource: 'prompt',
          resourceId: id,
          key,
          workspaceId: row.workspace_id,
          summary: `Restored the prompt ${key} in ${env}${row.version === 0 ? '' : `, served as ${labelOf(row.version)} again`}`,
          before: { deleted_at: toWire(row).deleted_at },
          after: factsOf(prompt),
          promptEvents: framesOf('prompt.created', after),
        })
        return prompt
      })
    },

    /** Duplicates a prompt. The copy is a draft, so that nothing is served without a publish. */
    duplicate(ctx: Context, id: string, body: z.output<typeof DuplicatePromptBody>): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await required(tx.q, id)
        const workspace =
          body.workspace_id === undefined
            ? workspaceOf(row)
            : await requiredWorkspace(tx.q, body.workspace_id)
        const env = body.env ?? row.env
        const isBeside = env === row.env && workspace.id === row.workspace_id
        const isTaken = async (candidate: string) =>
          (await idAt(tx.q, { workspaceId: workspace.id, key: candidate, env })) !== undefined
        const key = body.key ?? (isBeside ? await freeKey(row.key, 'copy', isTaken) : row.key)
        await requireFree(tx.q, workspace, { key, env })
        const copy = await addDraft(tx, ctx, {
          id: newId(),
          workspace,
          key,
          env,
          name: body.name ?? (isBeside ? `${row.name} (copy)`.slice(0, 200) : row.name),
          description: row.description,
          category: row.category,
          tags: JSON.parse(row.tags),
          body: draftOf(row),
        })
        const prompt = toWire(copy)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'prompt',
          resourceId: copy.id,
          key,
          workspaceId: workspace.id,
          summary: `Created the prompt ${key} in ${env} as a draft, copied from ${row.key} in ${row.env}`,
          after: factsOf(prompt),
        })
        return prompt
      })
    },
  }
}
