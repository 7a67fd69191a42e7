import type { z } from 'zod'
import type { Endpoint } from '../../contract/common/endpoint.ts'
import { api } from '../../contract/index.ts'
import type { Identity } from '../auth/identity/identity.ts'
import type { Db } from '../db/types.ts'
import { denialOf, type PermissionOverrides, requireAccess, roleOf } from '../http/access.ts'
import type { Route } from '../http/route.ts'
import { parseInput } from '../http/steps/input.ts'
import { scopeOf } from '../lib/scope.ts'
import type { Caller } from './caller.ts'

/** The only routes that MCP calls. None publishes, deletes, or returns a secret. */
const allowed = [
  api.sdk.prompt,
  api.sdk.prompts,
  api.prompts.list,
  api.prompts.get,
  api.prompts.create,
  api.prompts.update,
  api.promptVersions.get,
  api.promptVersions.diff,
  api.playground.providers,
  api.playground.run,
  api.runs.list,
  api.runs.get,
  api.runs.stats,
] as const
/** A route that MCP may call. */
export type Operation = (typeof allowed)[number]

type ReplyOf<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never

/** The input of a route before validation, as a request would contain it. */
export type OperationInput = {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: unknown
  readonly ifMatch?: string | undefined
}
type QueryValue = string | number | boolean | readonly string[] | undefined

export type OperationsDeps = {
  readonly routes: readonly Route[]
  readonly overrides: PermissionOverrides
  readonly db: Pick<Db, 'settled'>
}

export type Operations = ReturnType<typeof createOperations>

/** Calls routes of the API for a caller, with the same access checks and validation as over HTTP. */
export function createOperations({ routes, overrides, db }: OperationsDeps) {
  const routeOf = new Map<unknown, Route>(routes.map((route) => [route.endpoint, route]))

  return {
    /** Returns true if the token may call the route at all. */
    isAllowed: (identity: Identity, operation: Operation): boolean =>
      denialOf(operation as unknown as Endpoint, identity, overrides) === null,

    /** Throws the `Problem` that the route would reply with. */
    async call<E extends Operation>(
      caller: Caller,
      operation: E,
      input: OperationInput,
    ): Promise<ReplyOf<E>> {
      const route = routeOf.get(operation)
      if (route === undefined || !allowed.includes(operation))
        throw new Error(`MCP does not call ${operation.path}`)
      const { endpoint } = route
      const { identity, ctx, signal } = caller
      requireAccess(endpoint, identity, overrides)
      const scope = scopeOf(identity.actor, roleOf(endpoint, overrides))
      const { params = {}, query = {}, body, ifMatch = null } = input
      const parsed = parseInput(endpoint, { params, search: searchOf(query), body })
      const reply = await resultOf(route, { ...ctx, scope }, { ...parsed, ifMatch }, signal)
      // As over HTTP: the reply waits until everything it may contain is on disk.
      await db.settled()
      return endpoint.reply.parse(reply) as ReplyOf<E>
    },
  }
}

async function resultOf(
  route: Route,
  ctx: Caller['ctx'],
  input: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (route.kind === 'json') return route.handle(ctx, input)
  if (route.kind === 'stream') return route.handle(ctx, input, signal)
  if (route.kind === 'preserialized') return JSON.parse((await route.handle(ctx, input)).json)
  throw new Error(`MCP cannot call a route of the kind ${route.kind}`)
}

function searchOf(query: NonNullable<OperationInput['query']>): URLSearchParams {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const each of Array.isArray(value) ? value : [value]) search.append(name, String(each))
  }
  return search
}
