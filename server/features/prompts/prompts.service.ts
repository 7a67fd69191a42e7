import type { z } from 'zod'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import type { PromptFacets } from '../../../contract/prompts/prompt-list.ts'
import type {
  CreatePromptBody,
  DuplicatePromptBody,
  ReplacePromptBody,
  UpdatePromptBody,
} from '../../../contract/prompts/prompts.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Share } from '../../lib/async/shared-results.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { keyOfScope } from '../../lib/scope.ts'
import { createPrompt, duplicatePrompt } from './drafts/create.ts'
import { requestsPublish, save, saveAndPublish } from './drafts/save.ts'
import { type KeysQuery, listKeys } from './list/keys.read.ts'
import {
  type CountClients,
  createClientCounts,
  type ListQuery,
  listPrompts,
  type PromptPage,
  readFacets,
} from './list/prompts.read.ts'
import { requireCurrent, required } from './state/policy.ts'
import type { WholeRow } from './state/prompts.store.ts'
import { toWire } from './state/prompts.wire.ts'
import { deletePrompt, restorePrompt } from './trash/delete.ts'

export type PromptsDeps = {
  readonly db: Db
  readonly share: Share
  readonly history: History
  readonly newId: NewId
  /** Returns a function that counts the connected clients of a key, for one page of keys. */
  readonly usage: () => CountClients
}

type Filters = {
  readonly by?: 'prompt' | 'key' | undefined
  readonly workspace?: string[] | undefined
  readonly env?: Prompt['env'][] | undefined
}

export type PromptsService = ReturnType<typeof createPromptsService>

export function createPromptsService(deps: PromptsDeps) {
  const { db, history, usage } = deps
  const pages = deps.share<PromptPage>()
  const withCounts = createClientCounts()
  const requiredCurrent = async (
    q: Query,
    { scope }: Context,
    id: string,
    ifMatch: string | null,
  ): Promise<WholeRow> => {
    const row = await required(q, scope, id)
    requireCurrent(ifMatch, row)
    return row
  }

  return {
    async list({ scope }: Context, query: ListQuery) {
      const key = `${keyOfScope(scope)} ${JSON.stringify(query)}`
      const page = await pages.get(key, pages.version(), () => listPrompts(db.read, scope, query))
      return withCounts(page, usage())
    },
    listKeys: (ctx: Context, query: KeysQuery) => listKeys(db.read, ctx.scope, query, usage()),
    facets: (ctx: Context, query: Filters): Promise<PromptFacets> => readFacets(db.read, ctx.scope, query),
    get: async (ctx: Context, id: string): Promise<Prompt> => toWire(await required(db.read, ctx.scope, id)),

    create: (ctx: Context, body: z.output<typeof CreatePromptBody>) => createPrompt(deps, ctx, body),
    update: (
      ctx: Context,
      id: string,
      body: z.output<typeof UpdatePromptBody>,
      ifMatch: string | null,
    ): Promise<Prompt> =>
      db.write(async (tx) => save(history, tx, ctx, await requiredCurrent(tx.q, ctx, id, ifMatch), body)),

    /** Like `update`. A version label other than the current one also publishes the change. */
    replace(
      ctx: Context,
      id: string,
      { version: label, ...body }: z.output<typeof ReplacePromptBody>,
      ifMatch: string | null,
    ): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await requiredCurrent(tx.q, ctx, id, ifMatch)
        if (!requestsPublish(label, row)) return save(history, tx, ctx, row, body)
        return saveAndPublish(history, tx, ctx, row, { body, label, hasReadDraft: ifMatch !== null })
      })
    },
    duplicate: (ctx: Context, id: string, body: z.output<typeof DuplicatePromptBody>) =>
      duplicatePrompt(deps, ctx, id, body),

    remove: (ctx: Context, id: string, ifMatch: string | null) => deletePrompt(deps, ctx, id, ifMatch),
    restore: (ctx: Context, id: string, ifMatch: string | null) => restorePrompt(deps, ctx, id, ifMatch),
  }
}
