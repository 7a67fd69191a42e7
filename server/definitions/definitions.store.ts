import { sql } from 'kysely'
import type { WorkspacesTable } from '../db/schema/schema.ts'
import type { DefinitionVersionsTable, WorkflowsTable } from '../db/schema/workflows.ts'
import type { Query } from '../db/types.ts'
import { applyPage, countRows, numberKey, orders, type PagePlan, type Total } from '../lib/paging.ts'
import { wordsOf } from '../lib/text/words.ts'
import { workspaceIdsOf } from '../resources/workspaces.read.ts'

/** Agents have all columns of workflows and more; this store uses only those they share. */
type Tables = { rows: 'workflows'; versions: 'workflow_versions'; words: 'workflow_words' }
export type Noun = 'agent' | 'workflow'
const tablesOf = (noun: Noun): Tables =>
  ({ rows: `${noun}s`, versions: `${noun}_versions`, words: `${noun}_words` }) as Tables

export type DefinitionRow = WorkflowsTable & Pick<WorkspacesTable, 'slug'> & { readonly body: string }
export type VersionRow = DefinitionVersionsTable
export type Workspace = Pick<WorkspacesTable, 'id' | 'slug' | 'name'>

/** Maximum number of distinct words of one definition in the search index. */
const mostWords = 3000

/** Returns the queries of a kind of definition: agents or workflows. */
export function definitionStore(noun: Noun) {
  const { rows, versions, words } = tablesOf(noun)
  const whole = (q: Query) =>
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
      whole(q).where('d.id', '=', id).executeTakeFirst(),

    /** Returns rows in the order of the ids. */
    async findAll(q: Query, ids: readonly string[]): Promise<DefinitionRow[]> {
      if (ids.length === 0) return []
      const found = await whole(q).where('d.id', 'in', ids).execute()
      const byId = new Map(found.map((row) => [row.id, row]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    findAt: (q: Query, workspaceId: string, key: string): Promise<DefinitionRow | undefined> =>
      whole(q).where('d.workspace_id', '=', workspaceId).where('d.key', '=', key).executeTakeFirst(),

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
    async listVersions(q: Query, id: string, plan: PagePlan): Promise<{ rows: VersionRow[]; total: Total }> {
      const matching = q.selectFrom(versions).selectAll().where('owner_id', '=', id)
      const total = await countRows(q, matching, { isCapped: false })
      return { rows: await applyPage(matching, plan).execute(), total }
    },

    /** Updates the search index of a definition. Writes only the words that changed. */
    async index(q: Query, id: string, text: string): Promise<void> {
      const wanted = new Set(wordsOf(text, mostWords))
      const known = await q.selectFrom(words).select('word').where('owner_id', '=', id).execute()
      for (const { word } of known) {
        if (wanted.delete(word)) continue
        await q.deleteFrom(words).where('word', '=', word).where('owner_id', '=', id).execute()
      }
      for (const word of wanted) await q.insertInto(words).values({ word, owner_id: id }).execute()
    },

    /** Returns the query with all filters, without paging and order. */
    matching(q: Query, { workspace, key, q: text }: Filters) {
      let found = q.selectFrom(`${rows} as d`)
      if (workspace !== undefined) {
        found = found.where('d.workspace_id', 'in', workspaceIdsOf(q, workspace))
      }
      if (key !== undefined) found = found.where('d.key', 'in', key)
      if (text === undefined) return found
      const asked = wordsOf(text, 10)
      if (asked.length === 0) found = found.where(sql<boolean>`0`)
      for (const word of asked) {
        const holding = q
          .selectFrom(words)
          .select('owner_id')
          .where('word', '>=', word)
          .where('word', '<', `${word}\u{10ffff}`)
        found = found.where('d.id', 'in', holding)
      }
      return found
    },
  }
}

export type DefinitionStore = ReturnType<typeof definitionStore>
export type Filters = {
  readonly workspace?: string[] | undefined
  readonly key?: string[] | undefined
  readonly q?: string | undefined
}

export const versionOrder = orders({ version: [numberKey('version')] })
