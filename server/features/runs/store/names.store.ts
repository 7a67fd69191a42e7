import { LRUCache } from 'lru-cache'
import { readByIds } from '../../../db/dialect/read-by-ids.ts'
import { prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { Query, Tx } from '../../../db/types.ts'
import { fold } from '../../../lib/text/search.ts'
import { memberColumns, type NameKind, searchedColumns } from './columns.ts'
import { type NameLookup, namesIn } from './forms.ts'
import { insertMember } from './members.store.ts'

/** The dictionary of the run log: rows contain ids of names instead of texts. */
export type NameDictionary = {
  cachedId(kind: NameKind, name: string): number | undefined
  /** Returns the id of a name, which is added if it is new. */
  idOf(tx: Tx, kind: NameKind, name: string): Promise<number>
  /** Returns the id of an existing name, or null. */
  findId(q: Query, kind: NameKind, name: string): Promise<number | null>
  /** Returns a look-up of the texts of these ids, which remains valid when the cache evicts them. */
  loadTexts(q: Query, ids: Iterable<number>): Promise<NameLookup>
  /** Returns the names under which a filter finds a name: an end user also by its hash. */
  formsOf(kind: NameKind, name: string): readonly string[]
  /** Clears the cache, because names were removed. */
  clearCache(): void
}

/**
 * Maximum length of a cached text in UTF-16 code units. With `maxCached`, it limits the memory of the caches.
 */
const maxCachedLength = 200
/** Maximum number of cached texts, and of cached ids per kind of name. */
const maxCached = 20_000
/** Ids per statement: SQLite limits its parameters. */
const maxWords = 64
const maxWordLength = 40
const searched: ReadonlySet<NameKind> = new Set(searchedColumns)
/** Kinds of lists that are found by a member. */
const withMembers: ReadonlySet<NameKind> = new Set(memberColumns)

const select = prepareQuery<{ kind: string; name: string }, { id: number }>((q, p) =>
  q.selectFrom('names').select('id').where('kind', '=', p('kind')).where('name', '=', p('name')),
)
const insert = prepareChange<{ id: number; kind: string; name: string }>((q, p) =>
  q.insertInto('names').values({ id: p('id'), kind: p('kind'), name: p('name') }),
)
const insertWord = prepareChange<{ word: string; id: number }>((q, p) =>
  q.insertInto('name_words').values({ word: p('word'), name_id: p('id') }),
)
const lastId = prepareQuery<Record<never, never>, { value: number }>((q) =>
  q.selectFrom('meta').select('value').where('key', '=', 'name_id'),
)
const setLastId = prepareChange<{ value: number }>((q, p) =>
  q
    .updateTable('meta')
    .set({ value: p('value') })
    .where('key', '=', 'name_id'),
)

/** Returns the distinct folded words of a text. Queries are split in the same way. */
export function wordsOf(text: string, limit = maxWords): string[] {
  const words = fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, maxWordLength))
  return [...new Set(words)].slice(0, limit)
}

/** Reads the texts of these ids from the database. */
async function readTexts(q: Query, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await readByIds(ids, (chunk) =>
    q.selectFrom('names').select(['id', 'name']).where('id', 'in', chunk).execute(),
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Creates a cache of ids and texts that evicts the least recently used. Long texts are not cached. */
function createCache() {
  const ids = new Map<NameKind, LRUCache<string, number>>()
  const texts = new LRUCache<number, string>({ max: maxCached })
  return {
    idOf: (kind: NameKind, name: string) => ids.get(kind)?.get(name),
    textOf: (id: number) => texts.get(id),
    setId(kind: NameKind, name: string, id: number) {
      if (name.length > maxCachedLength) return
      const ofKind = ids.get(kind) ?? new LRUCache<string, number>({ max: maxCached })
      ids.set(kind, ofKind)
      ofKind.set(name, id)
    },
    setText(id: number, name: string) {
      if (name.length <= maxCachedLength) texts.set(id, name)
    },
    clear() {
      ids.clear()
      texts.clear()
    },
  }
}

export function createNameDictionary({
  hashEndUser,
}: {
  readonly hashEndUser: (endUser: string) => string
}): NameDictionary {
  const cache = createCache()
  return {
    cachedId: cache.idOf,
    async findId(q, kind, name) {
      const id = cache.idOf(kind, name)
      if (id !== undefined) return id
      const [row] = await select(q, { kind, name })
      return row?.id ?? null
    },
    async idOf(tx, kind, name) {
      const [row] = await select(tx.q, { kind, name })
      if (row === undefined) return addName(tx.q, kind, name)
      // This transaction may have added the name, so it is cached only after the commit.
      tx.afterCommit(() => cache.setId(kind, name, row.id))
      return row.id
    },
    async loadTexts(q, requestedIds) {
      // Copied, because the cache may evict an entry before the caller reads it.
      const found = new Map<number, string>()
      const missing: number[] = []
      for (const id of new Set(requestedIds)) {
        const text = cache.textOf(id)
        if (text === undefined) missing.push(id)
        else found.set(id, text)
      }
      for (const [id, name] of await readTexts(q, missing)) {
        found.set(id, name)
        cache.setText(id, name)
      }
      return (id) => (id === null ? null : (found.get(id) ?? null))
    },
    formsOf: (kind, name) => (kind === 'end_user' ? [name, hashEndUser(name)] : [name]),
    clearCache: cache.clear,
  }
}

/** Adds a name, its words if the kind is searched, and its members if it is a list. Returns its id. */
async function addName(q: Query, kind: NameKind, name: string): Promise<number> {
  const [last] = await lastId(q, {})
  const id = (last?.value ?? 0) + 1
  const words = searched.has(kind) ? wordsOf(name) : []
  const members = withMembers.has(kind) ? (namesIn(name) ?? []) : []
  // Sent together: a database on a network answers all in one round trip.
  await Promise.all([
    setLastId(q, { value: id }),
    insert(q, { id, kind, name }),
    ...words.map((word) => insertWord(q, { word, id })),
    ...members.map((member) => insertMember(q, { member, id })),
  ])
  return id
}
