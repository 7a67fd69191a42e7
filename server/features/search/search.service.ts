import type { z } from 'zod'
import { type Environment, environments } from '../../../contract/common/environments.ts'
import type { Permission, Role } from '../../../contract/common/roles.ts'
import { permissionsOf } from '../../../contract/common/roles.ts'
import { fuzzyScore } from '../../../contract/formats/fuzzy.ts'
import { api } from '../../../contract/index.ts'
import {
  type SearchKind,
  type SearchQuery,
  type SearchResult,
  searchKinds,
} from '../../../contract/system/search.ts'
import type { Db } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import { type Candidate, findCandidates } from './search.read.ts'

export type SearchDeps = {
  readonly db: Db
  /** Returns the connected clients that exist for the caller. */
  readonly clients: (ctx: Context) => readonly ConnectedClient[]
  readonly permissionOverrides: () => Partial<Record<Permission, Role>>
}

export type SearchService = ReturnType<typeof createSearchService>

/** The permission to list the items of each kind. A search returns a kind only to callers with its permission. */
const listPermissions: Readonly<Record<SearchKind, string>> = {
  prompt: api.prompts.list.permission,
  agent: api.agents.list.permission,
  workflow: api.workflows.list.permission,
  workspace: api.workspaces.list.permission,
  user: api.users.list.permission,
  client: api.clients.list.permission,
  token: api.tokens.list.permission,
}

/** Creates the search by name over all kinds of items. */
export function createSearchService({ db, clients, permissionOverrides }: SearchDeps) {
  const candidatesOf = async (ctx: Context, kind: SearchKind, q: string): Promise<readonly SearchResult[]> =>
    kind === 'client'
      ? clients(ctx).flatMap((client) => ranked(q, clientResult(client)))
      : (await findCandidates(db.read, ctx.scope, kind, q)).flatMap((found) =>
          ranked(q, storedResult(kind, found)),
        )

  return {
    async find(ctx: Context, { q, limit }: z.output<typeof SearchQuery>): Promise<SearchResult[]> {
      const { role } = ctx.actor
      const permissions: readonly string[] = role === null ? [] : permissionsOf(role, permissionOverrides())
      const results: SearchResult[] = []
      for (const kind of searchKinds) {
        if (!permissions.includes(listPermissions[kind])) continue
        const found = await candidatesOf(ctx, kind, q)
        results.push(...found.toSorted(byScore).slice(0, limit))
      }
      return results.toSorted(byScore)
    },
  }
}

const byScore = (a: SearchResult, b: SearchResult): number =>
  b.score - a.score || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)

type Unranked = Omit<SearchResult, 'score'>

/** Returns the result with its score, or nothing if it does not match. */
function ranked(q: string, result: Unranked): SearchResult[] {
  const score = fuzzyScore(q, `${result.label} ${result.detail}`)
  return score === null ? [] : [{ ...result, score }]
}

const clientResult = ({ id, app, namespace, remote_addr: address }: ConnectedClient): Unranked => ({
  kind: 'client',
  id,
  label: app,
  detail: `${namespace} · ${address}`,
  workspace_id: null,
})

type StoredEnvironment = { readonly id: string; readonly env: Environment; readonly has_draft: number }

function storedResult(kind: SearchKind, { id, label, name, workspace_id, envs }: Candidate): Unranked {
  const common = { kind, id, label, detail: name, workspace_id }
  if (envs === null) return common
  const stored = JSON.parse(envs) as StoredEnvironment[]
  const ordered = environments.flatMap((env) => stored.filter((each) => each.env === env))
  return {
    ...common,
    id: ordered[0]?.id ?? id,
    envs: ordered.map((each) => ({ id: each.id, env: each.env, has_draft: each.has_draft === 1 })),
  }
}
