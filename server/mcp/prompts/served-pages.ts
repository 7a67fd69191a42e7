import { z } from 'zod'
import { environments } from '../../../contract/common/environments.ts'
import { api } from '../../../contract/index.ts'
import type { SdkPrompt } from '../../../contract/prompts/sdk.ts'
import { invalid } from '../../lib/fail.ts'
import type { Caller } from '../caller.ts'
import type { Operations } from '../operations.ts'
import { environmentsOf, type Place, type VisibleWorkspaces, workspacesOf } from './places.ts'

export type PlacedPrompt = { readonly place: Place; readonly prompt: SdkPrompt }

const pageSize = 50
/** Maximum number of environments that one page reads: many may be empty. */
const maxPlaces = 60

const Cursor = z.strictObject({
  workspace: z.string(),
  env: z.enum(environments),
  inner: z.string().nullable(),
})
type Cursor = z.infer<typeof Cursor>

const encode = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

function decode(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  } catch {
    throw invalid('cursor', 'Not a cursor of this list')
  }
}

/** Reads the published prompts of a connection, page by page, over all of its workspaces and environments. */
export async function servedPage(
  { operations, visibleWorkspaces }: ServedDeps,
  caller: Caller,
  cursor: string | undefined,
): Promise<{ readonly prompts: readonly PlacedPrompt[]; readonly nextCursor: string | null }> {
  const workspaces = await workspacesOf(caller, visibleWorkspaces)
  const places = workspaces.flatMap(({ slug }) =>
    environmentsOf(caller).map((env): Place => ({ workspace: slug, env })),
  )
  const start = cursor === undefined ? null : decode(cursor)
  let index = start === null ? 0 : places.findIndex((place) => isSame(place, start))
  if (index === -1) throw invalid('cursor', 'Its workspace or environment is no longer available')
  let inner = start?.inner ?? null
  const prompts: PlacedPrompt[] = []
  for (let read = 0; read < maxPlaces && prompts.length < pageSize; read += 1) {
    const place = places[index]
    if (place === undefined) return { prompts, nextCursor: null }
    const limit = pageSize - prompts.length
    const query = { ...place, limit, ...(inner !== null && { cursor: inner }) }
    const page = await operations.call(caller, api.sdk.prompts, { query })
    prompts.push(...page.data.map((prompt) => ({ place, prompt })))
    inner = page.next_cursor
    if (inner === null) index += 1
  }
  const next = places[index]
  return { prompts, nextCursor: next === undefined ? null : encode({ ...next, inner }) }
}

export type ServedDeps = {
  readonly operations: Operations
  readonly visibleWorkspaces: VisibleWorkspaces
}

const isSame = (a: Place, b: Place): boolean => a.workspace === b.workspace && a.env === b.env
