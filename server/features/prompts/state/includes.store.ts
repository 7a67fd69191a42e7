import { type Include, includesIn, includeText } from '../../../../contract/formats/includes.ts'
import { type Params, prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import { findVersion } from './bodies.store.ts'
import { type Body, textsOf } from './body.ts'
import { idAt, type PromptPlace, type WholeRow } from './prompts.store.ts'

/** Returns what a body includes. `{{> …}}` in a body from before includes existed is text. */
export const includesOf = (body: Body): Include[] =>
  body.has_includes === 1 ? includesIn(textsOf(body)) : []

const insert = prepareChange((q, p: Params<{ key: string; prompt_id: string; version: number }>) =>
  q.insertInto('prompt_includes').values({
    key: p('key'),
    prompt_id: p('prompt_id'),
    version: p('version'),
  }),
)

/**
 * Stores what the served version of a prompt includes, and what the pinned versions in it include: these never
 * change, but what they include may.
 */
export async function storeIncludes(
  q: Query,
  promptId: string,
  place: PromptPlace,
  body: Body,
): Promise<void> {
  await q.deleteFrom('prompt_includes').where('prompt_id', '=', promptId).execute()
  for (const { key, version } of await fixedIncludes(q, place, body))
    await insert(q, { key, prompt_id: promptId, version: version ?? 0 })
}

/** Returns the includes of a body and, at all levels, those of the pinned versions in it. */
async function fixedIncludes(q: Query, place: PromptPlace, body: Body): Promise<Iterable<Include>> {
  const found = new Map<string, Include>()
  const waiting = includesOf(body)
  for (let include = waiting.pop(); include !== undefined; include = waiting.pop()) {
    const { key, version } = include
    if (found.has(includeText(include))) continue
    found.set(includeText(include), include)
    const id = version === null ? undefined : await idAt(q, { ...place, key })
    const pinned = id === undefined || version === null ? undefined : await findVersion(q, id, version)
    if (pinned !== undefined) waiting.push(...includesOf(pinned))
  }
  return found.values()
}

export type Includer = Pick<WholeRow, 'id' | 'key' | 'env' | 'version' | 'workspace_id'> & {
  /** Version of the included prompt that is included; null for the served one. */
  readonly pinned: number | null
}

const includers = prepareQuery((q, p: Params<PromptPlace>) =>
  q
    .selectFrom('prompt_includes as i')
    .innerJoin('prompts as p', 'p.id', 'i.prompt_id')
    .select(['p.id', 'p.key', 'p.env', 'p.version', 'p.workspace_id', 'i.version as pinned'])
    .where('i.key', '=', p('key'))
    .where('p.workspace_id', '=', p('workspaceId'))
    .where('p.env', '=', p('env'))
    .where('p.deleted_at', 'is', null)
    .orderBy('p.key'),
)

/** Returns the prompts whose served version includes this one, directly or in a pinned version. */
export async function includersOf(q: Query, place: PromptPlace): Promise<Includer[]> {
  const rows = await includers(q, place)
  return rows.map((row) => ({ ...row, pinned: row.pinned === 0 ? null : row.pinned }))
}

/** Returns the prompts whose resolved text changes with what is served here: also includers of includers. */
export async function dependentsOf(q: Query, place: PromptPlace): Promise<Includer[]> {
  const found = new Map<string, Includer>()
  const waiting = [place.key]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    for (const includer of await includersOf(q, { ...place, key })) {
      if (includer.pinned !== null || includer.key === place.key || found.has(includer.id)) continue
      found.set(includer.id, includer)
      waiting.push(includer.key)
    }
  }
  return [...found.values()]
}
