import type { z } from 'zod'
import type { Environment } from '../../../contract/live.ts'
import { type Prompt, versionNumber } from '../../../contract/prompt.ts'
import type {
  DiffQuery,
  ListVersionsQuery,
  PromptDiff,
  PromptVersion,
} from '../../../contract/prompt-versions.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { findVersion, listVersions, type VersionRow, versionOrder } from './bodies.store.ts'
import { isSameBody } from './body.ts'
import { addDraft, serve } from './changes.ts'
import { type CompareLines, contentOf, diffBodies, type Named } from './diff.ts'
import { required, requireState, requireUnprotected, workspaceOf } from './policy.ts'
import { findWhole, idAt, type WholeRow } from './prompts.store.ts'
import { draftOf, framesOf, labelOf, servedFacts, servedOf, toWire, versionToWire } from './prompts.wire.ts'

export type VersionsDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly compareLines: CompareLines
}

type Said = { readonly message?: string | undefined } | undefined

export type VersionsService = ReturnType<typeof createVersionsService>

export function createVersionsService({ db, history, newId, compareLines }: VersionsDeps) {
  /** Makes the checks that precede every change of what is served, and returns the prompt. */
  const begin = async (tx: Tx, ctx: Context, id: string, ifMatch: string | null): Promise<WholeRow> => {
    const row = await required(tx.q, id)
    requireUnprotected(ctx, workspaceOf(row), row.env)
    requireState(ifMatch, row)
    return row
  }

  return {
    async list(_ctx: Context, id: string, { fields, ...query }: z.output<typeof ListVersionsQuery>) {
      const row = await required(db.read, id)
      const plan = planPage(query, versionOrder(query.sort ?? '-version'))
      const { rows, total } = await listVersions(db.read, id, plan)
      const isSummary = fields === 'summary'
      const keyOf = (version: VersionRow) => [version.version]
      return toPage(plan, rows, total, keyOf, (version) => versionToWire(version, row.version, isSummary))
    },

    async get(_ctx: Context, id: string, version: number): Promise<PromptVersion> {
      const row = await required(db.read, id)
      const found = await findVersion(db.read, id, version)
      if (found === undefined) throw fail('not_found', { detail: `There is no ${labelOf(version)}.` })
      return versionToWire(found, row.version, false)
    },

    async diff(ctx: Context, id: string, { from, to }: z.output<typeof DiffQuery>): Promise<PromptDiff> {
      const row = await required(db.read, id)
      const target = await pointOf(db.read, row, to, 'to')
      if (target === null) throw invalid('query.to', 'Nothing is served yet')
      const before = await pointOf(db.read, row, from, 'from')
      return diffBodies(before, target, await compareLines(ctx, contentOf(before), contentOf(target)))
    },

    publish(ctx: Context, id: string, said: Said, ifMatch: string | null): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await begin(tx, ctx, id, ifMatch)
        if (row.has_draft === 0) {
          throw fail('prompt.nothing_to_publish', {
            detail: `The draft of ${row.key} in ${row.env} is what is served already, as ${labelOf(row.version)}.`,
          })
        }
        const message = said?.message ?? ''
        const after = await serve(tx, ctx, row, draftOf(row), { kind: 'publish', message, draft: 'replaced' })
        const summary = `Published ${row.key} ${labelOf(after.version)} in ${row.env}`
        return recorded(tx, ctx, {
          action: 'publish',
          type: 'prompt.published',
          summary,
          message,
          row,
          after,
        })
      })
    },

    rollback(
      ctx: Context,
      id: string,
      { version: named, message = '' }: { readonly version: string; readonly message?: string | undefined },
      ifMatch: string | null,
    ): Promise<Prompt> {
      return db.write(async (tx) => {
        const row = await begin(tx, ctx, id, ifMatch)
        const version = versionNumber(named)
        const target = version === null ? undefined : await findVersion(tx.q, id, version)
        if (version === null || target === undefined) {
          const newest =
            row.version === 0 ? 'nothing is published yet' : `the newest is ${labelOf(row.version)}`
          throw fail('not_found', { detail: `There is no version ${named}; ${newest}.` })
        }
        if (target.version === row.version) {
          throw fail('prompt.nothing_to_publish', {
            detail: `${labelOf(version)} is what is served already.`,
          })
        }
        const { content, model, variables } = target
        const after = await serve(
          tx,
          ctx,
          row,
          { content, model, variables },
          { kind: 'rollback', message, from: { env: row.env, version }, draft: 'replaced' },
        )
        const summary = `Rolled back ${row.key} in ${row.env} to ${labelOf(version)}, as ${labelOf(after.version)}`
        return recorded(tx, ctx, {
          action: 'rollback',
          type: 'prompt.rolled_back',
          summary,
          message,
          row,
          after,
        })
      })
    },

    /**
     * Promotes the served version. The source does not change; a draft of the target with other content is
     * kept.
     */
    promote(
      ctx: Context,
      id: string,
      { env, message = '' }: { readonly env: Environment; readonly message?: string | undefined },
      ifMatch: string | null,
    ): Promise<Prompt> {
      return db.write(async (tx) => {
        const source = await required(tx.q, id)
        requireUnprotected(ctx, workspaceOf(source), env)
        requireState(ifMatch, source)
        if (env === source.env) throw invalid('env', `The prompt is in ${env} already`)
        const body = servedOf(source)
        if (body === null) {
          throw fail('prompt.nothing_to_publish', {
            detail: `${source.key} serves nothing in ${source.env} yet.`,
          })
        }
        const before = await targetOf(tx.q, source, env)
        const served = before && servedOf(before)
        if (before && served && isSameBody(served, body)) {
          throw fail('prompt.nothing_to_publish', {
            detail: `${env} serves the same already, as ${labelOf(before.version)}.`,
          })
        }
        const target =
          before ??
          (await addDraft(tx, ctx, {
            id: newId(),
            workspace: workspaceOf(source),
            key: source.key,
            env,
            name: source.name,
            description: source.description,
            category: source.category,
            tags: JSON.parse(source.tags),
            body,
          }))
        const from = { env: source.env, version: source.version }
        const after = await serve(tx, ctx, target, body, { kind: 'promote', message, from, draft: 'kept' })
        const summary = `Promoted ${source.key} ${labelOf(source.version)} from ${source.env} to ${env}, as ${labelOf(after.version)}`
        const type = before === null ? 'prompt.created' : 'prompt.published'
        return recorded(tx, ctx, { action: 'promote', type, summary, message, row: before, after })
      })
    },
  }

  /** Records the version: its audit entry and its frame. */
  async function recorded(
    tx: Tx,
    ctx: Context,
    done: {
      readonly action: 'publish' | 'rollback' | 'promote'
      readonly type: 'prompt.published' | 'prompt.rolled_back' | 'prompt.created'
      readonly summary: string
      readonly message: string
      /** Null: the prompt was created by this operation. */
      readonly row: WholeRow | null
      readonly after: WholeRow
    },
  ): Promise<Prompt> {
    const { action, type, summary, message, row, after } = done
    const prompt = toWire(after)
    await history.record(tx, ctx, {
      action,
      resource: 'prompt',
      resourceId: after.id,
      key: after.key,
      workspaceId: after.workspace_id,
      summary: message === '' ? summary : `${summary}: ${message}`,
      before:
        row === null ? { version: null, content: null } : { ...servedFacts(toWire(row)), message: null },
      after: { ...servedFacts(prompt), message },
      promptEvents: framesOf(type, after),
    })
    return prompt
  }
}

async function targetOf(q: Query, source: WholeRow, env: Environment): Promise<WholeRow | null> {
  const id = await idAt(q, { workspaceId: source.workspace_id, key: source.key, env })
  return id === undefined ? null : ((await findWhole(q, id)) ?? null)
}

/** Returns one side of a comparison; null: empty. */
async function pointOf(q: Query, row: WholeRow, point: string, side: 'from' | 'to'): Promise<Named | null> {
  if (point === 'none') return null
  if (point === 'draft') return { name: 'draft', body: draftOf(row) }
  if (point === 'served') {
    const body = servedOf(row)
    return body && { name: labelOf(row.version), body }
  }
  const version = Number(point.replace(/^v/, ''))
  const found = await findVersion(q, row.id, version)
  if (found === undefined) throw invalid(`query.${side}`, `There is no ${labelOf(version)}`)
  return { name: labelOf(version), body: found }
}
