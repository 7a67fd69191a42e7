import type { Environment } from '../../../../contract/common/environments.ts'
import type { Convergence, Impact, RolloutClient } from '../../../../contract/prompts/prompt-rollout.ts'
import type { Db } from '../../../db/types.ts'
import type { FrameResender } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { dayMs } from '../../../lib/durations.ts'
import { fail } from '../../../lib/fail.ts'
import type { KeyPlace, KeyUser, KeyUsers } from '../../../resources/key-users.ts'
import { labelOf } from '../../../resources/versions.ts'
import { type Body, isSameBody, typeOf, variablesOf } from '../state/body.ts'
import { dependentsOf } from '../state/includes.store.ts'
import { protectedEnvRole, required } from '../state/policy.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import { draftOf, framesOf, isProtected, servedOf } from '../state/prompts.wire.ts'
import { type CompareLines, paramChanges, variableChanges } from '../versions/diff.ts'
import { latencies, progressOf, type ServedVersion } from './progress.ts'

/** The variables and versions in recorded runs of a prompt. */
export type RunUsage = {
  readonly names: readonly { readonly name: string; readonly runs: number }[]
  readonly runsSeen: number
  readonly byVersion: readonly { readonly version: string | null; readonly count: number }[]
}

/** The runs of a prompt in its environment since a time. */
type PromptRuns = {
  readonly workspaceId: string
  readonly key: string
  readonly env: Environment
  readonly from: Date
}

export type RolloutDeps = {
  readonly db: Db
  readonly resender: FrameResender
  /** Returns the connected clients that use a key. */
  readonly users: (place: KeyPlace) => KeyUsers
  readonly runs: {
    /** Counts the runs of a prompt, and apart those of its key in an unknown environment. */
    count(ctx: Context, of: PromptRuns): Promise<{ total: number; error: number; unknownEnv: number }>
    sent(of: PromptRuns): Promise<RunUsage>
  }
  readonly compareLines: CompareLines
}

const maxClients = 500
const maxDisconnected = 100

const servedNow = (row: WholeRow): ServedVersion | null =>
  row.published_at === null ? null : { version: labelOf(row.version), at: new Date(row.published_at) }

export type RolloutService = ReturnType<typeof createRolloutService>

export function createRolloutService({ db, resender, users, runs, compareLines }: RolloutDeps) {
  const usersOf = (row: WholeRow) => users({ workspace: row.slug, env: row.env, key: row.key })

  return {
    async convergence(ctx: Context, id: string): Promise<Convergence> {
      const row = await required(db.read, ctx.scope, id)
      return convergenceOf(row, usersOf(row))
    },

    /**
     * Announces the served version again. Stores only a sequence number, so that clients do not ignore the
     * frame as a repetition.
     */
    async push(ctx: Context, id: string): Promise<{ pushed: number; version: string }> {
      const row = await required(db.read, ctx.scope, id)
      const served = servedNow(row)
      const [event] = framesOf('prompt.published', row)
      if (served === null || event === undefined) {
        throw fail('prompt.nothing_to_publish', { detail: `${row.key} has no served version in ${row.env}.` })
      }
      const behind = usersOf(row).live.filter((user) => !progressOf(user, served).current)
      if (behind.length > 0) {
        const ids = new Set(behind.map((user) => user.id))
        await db.write((tx) => resender.resend(tx, event, ids, ctx.now), { evenWhenFull: true })
      }
      return { pushed: behind.length, version: served.version }
    },

    async impact(ctx: Context, id: string): Promise<Impact> {
      const row = await required(db.read, ctx.scope, id)
      const [served, draft] = [servedOf(row), draftOf(row)]
      const { live, silent } = usersOf(row)
      const from = new Date(ctx.now.getTime() - dayMs)
      const place = { workspaceId: row.workspace_id, key: row.key, env: row.env }
      const sent = await runs.sent({ ...place, from })
      const { total, error, unknownEnv } = await runs.count(ctx, { ...place, from })
      const compared = await compareLines(ctx, served?.content ?? '', draft.content)
      const isProtectedEnv = isProtected(row.protected_envs, row.env)
      return {
        version: row.version === 0 ? null : labelOf(row.version),
        next_version: labelOf(row.version + 1),
        has_changes: row.has_draft === 1,
        diff: {
          added_lines: compared.added,
          removed_lines: compared.removed,
          type_changed: served !== null && typeOf(served) !== typeOf(draft),
          model_changed: served !== null && !isSameBody({ ...served, model: draft.model }, served),
          params_changed: served === null ? [] : paramChanges(served, draft).map(({ name }) => name),
        },
        variables: variableImpact(served, draft, sent),
        clients: { total: live.length, silent: silent.length, apps: appsOf(live) },
        runs: {
          from: from.toISOString(),
          total,
          error,
          by_version: [...sent.byVersion],
          unknown_env: unknownEnv,
        },
        included_by: (await dependentsOf(db.read, place)).map((one) => ({ id: one.id, key: one.key })),
        protected: isProtectedEnv,
        required_role: isProtectedEnv ? protectedEnvRole : 'editor',
      }
    },
  }
}

/** Returns which connected clients run which version. Outdated clients come first. */
function convergenceOf(row: WholeRow, { live, gone, silent }: KeyUsers): Convergence {
  const served = servedNow(row)
  const clients = live.map((user) => progressOf(user, served))
  const behind = clients.filter((client) => !client.current)
  const current = clients.filter((client) => client.current)
  return {
    key: row.key,
    env: row.env,
    workspace_id: row.workspace_id,
    version: served?.version ?? null,
    published_at: served?.at.toISOString() ?? null,
    total: clients.length,
    current: current.length,
    behind: behind.length,
    versions: countVersions(clients),
    ...latencies(clients),
    clients: [...behind, ...current].slice(0, maxClients),
    gone: gone.slice(0, maxDisconnected).map((user) => progressOf(user, served)),
    silent: silent.length,
  }
}

/** Compares the variables of the draft with those that recorded runs sent. */
function variableImpact(served: Body | null, draft: Body, sent: RunUsage): Impact['variables'] {
  const { added, removed } = variableChanges(served, draft)
  const used = variablesOf(draft).filter((variable) => variable.used)
  const names = new Set(sent.names.map(({ name }) => name))
  const notSent = used.filter((variable) => variable.default === null && !names.has(variable.name))
  return {
    added,
    removed,
    sent: [...sent.names],
    runs_seen: sent.runsSeen,
    not_sent: sent.runsSeen === 0 ? [] : notSent.map((variable) => variable.name),
    no_longer_used: [...names].filter((name) => !used.some((variable) => variable.name === name)),
  }
}

function countVersions(clients: readonly RolloutClient[]): Convergence['versions'] {
  const counts = new Map<string | null, number>()
  for (const { version } of clients) counts.set(version, (counts.get(version) ?? 0) + 1)
  return [...counts].map(([version, count]) => ({ version, count })).toSorted((a, b) => b.count - a.count)
}

function appsOf(live: readonly KeyUser[]): Impact['clients']['apps'] {
  const apps = new Map<string, Impact['clients']['apps'][number]>()
  for (const { app, clientType } of live) {
    const name = JSON.stringify([app, clientType])
    const known = apps.get(name)
    apps.set(name, { app, client_type: clientType, count: (known?.count ?? 0) + 1 })
  }
  return [...apps.values()].toSorted((a, b) => b.count - a.count)
}
