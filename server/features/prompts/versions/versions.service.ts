import type { z } from 'zod'
import type { Environment } from '../../../../contract/common/environments.ts'
import { includeText } from '../../../../contract/formats/includes.ts'
import type { PromptDiff } from '../../../../contract/prompts/prompt-diff.ts'
import type { ResolvedPrompt } from '../../../../contract/prompts/prompt-resolved.ts'
import type {
  DiffQuery,
  ListVersionsQuery,
  PromptVersion,
} from '../../../../contract/prompts/prompt-versions.ts'
import type { Query } from '../../../db/types.ts'
import type { Context, Scope } from '../../../lib/context.ts'
import { invalid } from '../../../lib/fail.ts'
import { labelOf, pageOfVersions, requiredVersion } from '../../../resources/versions.ts'
import { findVersion, listVersions, versionsWithContent } from '../state/bodies.store.ts'
import { type Body, isSameBody, messagesOf, variablesOf } from '../state/body.ts'
import { includersOf } from '../state/includes.store.ts'
import { required } from '../state/policy.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import { draftOf, servedOf, versionToWire } from '../state/prompts.wire.ts'
import { messageOf, resolve } from '../state/resolve.ts'
import { type CompareLines, contentOf, diffBodies, type NamedBody } from './diff.ts'
import { diffMessages } from './message-diff.ts'
import { type PublishDeps, promotePrompt, publishPrompt, rollBackPrompt } from './publish.ts'

export type VersionsDeps = PublishDeps & { readonly compareLines: CompareLines }

type Message = { readonly message?: string | undefined }

export type VersionsService = ReturnType<typeof createVersionsService>

export function createVersionsService(deps: VersionsDeps) {
  const { db, compareLines } = deps
  return {
    async list(ctx: Context, id: string, { fields, ...query }: z.output<typeof ListVersionsQuery>) {
      const row = await required(db.read, ctx.scope, id)
      return pageOfVersions(
        query,
        (plan) => listVersions(db.read, id, plan),
        (version) => versionToWire(version, row.version, fields === 'summary'),
      )
    },

    async get(ctx: Context, id: string, version: number): Promise<PromptVersion> {
      const row = await required(db.read, ctx.scope, id)
      const found = await requiredVersion(version, (number) => findVersion(db.read, id, number))
      return versionToWire(found, row.version, false)
    },

    /** Returns a version, the draft or the served version with the texts that it includes. */
    resolved: (ctx: Context, id: string, state: string) => resolvedPrompt(db.read, ctx.scope, id, state),

    async diff(ctx: Context, id: string, query: z.output<typeof DiffQuery>): Promise<PromptDiff> {
      const { from, to, to_id: toId = id } = query
      const row = await required(db.read, ctx.scope, id)
      const toRow = toId === id ? row : await required(db.read, ctx.scope, toId)
      const target = await bodyAt(db.read, toRow, to, 'to')
      if (target === null) throw invalid('query.to', 'Nothing is served yet')
      const before = await bodyAt(db.read, row, from, 'from')
      const sameAs = await sameVersion(db.read, id, target.body, toId === id ? target.name : null)
      const text = await compareLines(ctx, contentOf(before), contentOf(target))
      const earlier = before === null ? [] : messagesOf(before.body)
      const later = messagesOf(target.body)
      const messages = earlier && later && (await diffMessages(compareLines, ctx, earlier, later))
      return diffBodies(before, target, { text, messages, sameAs })
    },

    publish: (ctx: Context, id: string, body: Message | undefined, ifMatch: string | null) =>
      publishPrompt(deps, ctx, id, body?.message ?? '', ifMatch),
    rollback: (
      ctx: Context,
      id: string,
      body: Message & { readonly version: string },
      ifMatch: string | null,
    ) => rollBackPrompt(deps, ctx, id, body, ifMatch),
    promote: (
      ctx: Context,
      id: string,
      body: Message & { readonly env: Environment },
      ifMatch: string | null,
    ) => promotePrompt(deps, ctx, id, body, ifMatch),
  }
}

async function resolvedPrompt(q: Query, scope: Scope, id: string, state: string): Promise<ResolvedPrompt> {
  const row = await required(q, scope, id)
  const found = await bodyAt(q, row, state, 'version')
  if (found === null) throw invalid('query.version', 'Nothing is served yet')
  const place = { workspaceId: row.workspace_id, key: row.key, env: row.env }
  const { body, included, faults } = await resolve(q, place, found.body)
  const includers = await includersOf(q, place)
  return {
    version: found.name,
    content: body.content,
    messages: messagesOf(body),
    variables: variablesOf(body),
    included: included.map((one) => ({ key: one.key, version: labelOf(one.version) })),
    problems: faults.map((fault) => ({
      include: includeText(fault.include),
      message: messageOf(fault, row.env),
    })),
    included_by: includers.map(({ id: includer, key, pinned }) => ({
      id: includer,
      key,
      version: pinned === null ? null : labelOf(pinned),
    })),
  }
}

/** Returns the newest version of a prompt with this body, except the named one; null if there is none. */
async function sameVersion(q: Query, id: string, body: Body, except: string | null): Promise<string | null> {
  const found = await versionsWithContent(q, id, body.content)
  const same = found.find((version) => isSameBody(version, body) && labelOf(version.version) !== except)
  return same === undefined ? null : labelOf(same.version)
}

/** Returns the content at one side of a comparison; null: empty. */
async function bodyAt(
  q: Query,
  row: WholeRow,
  state: string,
  side: 'from' | 'to' | 'version',
): Promise<NamedBody | null> {
  if (state === 'none') return null
  if (state === 'draft') return { name: 'draft', body: draftOf(row) }
  if (state === 'served') {
    const body = servedOf(row)
    return body && { name: labelOf(row.version), body }
  }
  const version = Number(state.replace(/^v/, ''))
  const found = await findVersion(q, row.id, version)
  if (found === undefined) throw invalid(`query.${side}`, `Version ${labelOf(version)} not found`)
  return { name: labelOf(version), body: found }
}
