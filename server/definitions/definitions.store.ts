import { never } from '../db/dialect/expressions.ts'
import { inScope } from '../db/dialect/in-scope.ts'
import type { DefinitionVersionsTable, WorkflowsTable } from '../db/schema/workflows.ts'
import type { WorkspacesTable } from '../db/schema/workspaces.ts'
import type { Query } from '../db/types.ts'
import type { Scope } from '../lib/context.ts'
import { type PagePlan, readPage } from '../lib/paging.ts'
import { wordsOf } from '../lib/text/words.ts'
import { inOrder } from '../resources/lists.ts'
import { updateWords } from '../resources/words.ts'
import { workspaceIdsOf } from '../resources/workspaces.read.ts'

/** Agents have all columns of workflows and more; this store uses only those they share. */
type Tables = { rows: 'workflows'; versions: 'workflow_versions'; words: 'workflow_words' }
export type Noun = 'agent' | 'workflow'
const tablesOf = (noun: Noun): Tables =>
  ({ rows: `${noun}s`, versions: `${noun}_versions`, words: `${noun}_words` }) as Tables

export type DefinitionRow = WorkflowsTable & Pick<WorkspacesTable, 'slug'> & { readonly body: string }
export type VersionRow = DefinitionVersionsTable
export type Workspace = Pick<WorkspacesTable, 'id' | 'slug' | 'name'>

/** Returns the queries of a kind of definition: agents or workflows. */
export const definitionStore = (noun: Noun) => ({
  ...rowQueries(tablesOf(noun)),
  ...versionQueries(tablesOf(noun)),
  ...searchQueries(tablesOf(noun)),
})

function rowQueries({ rows, versions }: Tables) {
  const rowsWithBody = (q: Query) =>
    q
      .selectFrom(`${rows} as d`)
      .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
      .innerJoin(`${versions} as v`, (join) =>
        join.onRef('v.owner_id', '=', 'd.id').onRef('v.version', '=', 'd.version'),
      )
      .selectAll('d')
      .select(['w.slug', 'v.body'])

  return {
    find: (q: Query, id: string): Promise<DefinitionRow | undefined> =>
      rowsWithBody(q).where('d.id', '=', id).executeTakeFirst(),

    /** Returns rows in the order of the ids. */
    async findAll(q: Query, ids: readonly string[]): Promise<DefinitionRow[]> {
      if (ids.length === 0) return []
      return inOrder(ids, await rowsWithBody(q).where('d.id', 'in', ids).execute())
    },

    findAt: (q: Query, workspaceId: string, key: string): Promise<DefinitionRow | undefined> =>
      rowsWithBody(q).where('d.workspace_id', '=', workspaceId).where('d.key', '=', key).executeTakeFirst(),

    async insert(q: Query, row: WorkflowsTable): Promise<void> {
      await q.insertInto(rows).values(row).execute()
    },
    async update(q: Query, id: string, changes: Partial<Omit<WorkflowsTable, 'id'>>): Promise<void> {
      await q.updateTable(rows).set(changes).where('id', '=', id).execute()
    },
    /** Deletes the row; its versions and words are deleted with it. */
    async erase(q: Query, id: string): Promise<void> {
      await q.deleteFrom(rows).where('id', '=', id).execute()
    },
  }
}

const versionQueries = ({ versions }: Tables) => ({
  async insertVersion(q: Query, row: VersionRow): Promise<void> {
    await q.insertInto(versions).values(row).execute()
  },
  findVersion: (q: Query, id: string, version: number): Promise<VersionRow | undefined> =>
    q
      .selectFrom(versions)
      .selectAll()
      .where('owner_id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst(),
  listVersions: (q: Query, id: string, plan: PagePlan) =>
    readPage(q, q.selectFrom(versions).selectAll().where('owner_id', '=', id), plan, { isCapped: false }),
})

const searchQueries = ({ rows, words }: Tables) => ({
  index: (q: Query, id: string, text: string): Promise<void> =>
    updateWords(text, {
      list: () => q.selectFrom(words).select('word').where('owner_id', '=', id).execute(),
      insert: (word) => q.insertInto(words).values({ word, owner_id: id }).execute(),
      remove: (word) => q.deleteFrom(words).where('word', '=', word).where('owner_id', '=', id).execute(),
    }),

  /** Returns the query with all filters, without paging and order. */
  matching(q: Query, scope: Scope, { workspace, key, q: text }: Filters) {
    let found = q.selectFrom(`${rows} as d`).where(inScope(scope, 'd.workspace_id'))
    if (workspace !== undefined) {
      found = found.where('d.workspace_id', 'in', workspaceIdsOf(q, workspace))
    }
    if (key !== undefined) found = found.where('d.key', 'in', key)
    if (text === undefined) return found
    const searched = wordsOf(text, 10)
    if (searched.length === 0) found = found.where(never)
    for (const word of searched) {
      const containing = q
        .selectFrom(words)
        .select('owner_id')
        .where('word', '>=', word)
        .where('word', '<', `${word}\u{10ffff}`)
      found = found.where('d.id', 'in', containing)
    }
    return found
  },
})

export type DefinitionStore = ReturnType<typeof definitionStore>
export type Filters = {
  readonly workspace?: string[] | undefined
  readonly key?: string[] | undefined
  readonly q?: string | undefined
}
