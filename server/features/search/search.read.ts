import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { SearchKind } from '../../../contract/system/search.ts'
import { always, matchesPattern } from '../../db/dialect/expressions.ts'
import { inScope } from '../../db/dialect/in-scope.ts'
import { jsonArrayOf } from '../../db/dialect/json.ts'
import type { Query } from '../../db/types.ts'
import type { Scope } from '../../lib/context.ts'
import { escapeLike, fold } from '../../lib/text/search.ts'

/** An item that contains the letters of the typed words; the service ranks it. */
export type Candidate = {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly workspace_id: string | null
  /** JSON array of `{id, env, has_draft}`, of prompts only. */
  readonly envs: string | null
}

/** Maximum number of candidates that are read and ranked for each kind. */
const maxCandidates = 60

type Table = {
  readonly table: string
  /** The searched text, from an index where the table is large. */
  readonly text: RawBuilder<string>
  readonly columns: RawBuilder<unknown>
  /** The column that is shown first. */
  readonly label: string
  readonly where?: RawBuilder<SqlBool>
  readonly groupBy?: RawBuilder<unknown>
  /** The column with the workspace of an item; null for items of no workspace, which only admins list. */
  readonly workspaceColumn: string | null
}

const namedTable = (
  table: string,
  label: string,
  name: string,
  workspace: string,
  workspaceColumn: string | null,
): Table => ({
  table,
  workspaceColumn,
  text: sql`${sql.ref(label)} || ' ' || ${sql.ref(name)}`,
  label,
  columns: sql`id, ${sql.ref(label)} as label, ${sql.ref(name)} as name, ${sql.raw(workspace)} as workspace_id, null as envs`,
})

export type StoredKind = Exclude<SearchKind, 'client'>

const tables: Readonly<Record<StoredKind, Table>> = {
  prompt: {
    table: 'prompts',
    workspaceColumn: 'workspace_id',
    text: sql`key || ' ' || name_folded`,
    label: 'key',
    columns: sql`min(id) as id, key as label, workspace_id,
      ${jsonArrayOf(['id', 'env', 'has_draft'])} as envs`,
    where: sql`deleted_at is null`,
    groupBy: sql`key, workspace_id`,
  },
  agent: namedTable('agents', 'key', 'name', 'workspace_id', 'workspace_id'),
  workflow: namedTable('workflows', 'key', 'name', 'workspace_id', 'workspace_id'),
  workspace: namedTable('workspaces', 'name', 'slug', 'null', 'id'),
  user: namedTable('users', 'username', 'role', 'null', null),
  token: namedTable('api_tokens', 'name', 'hint', 'workspace_id', null),
}

/** Characters after which a word begins. */
const separators = [' ', '/', '.', '_', '-']
const hasCase = (letter: string): boolean => letter.toLowerCase() !== letter.toUpperCase()

/**
 * Returns a letter as a pattern. LIKE ignores the case of ASCII letters only, so any character matches
 * another letter that has a case; the ranking compares it.
 */
const patternOf = (letter: string): string => (letter > '\x7f' && hasCase(letter) ? '_' : escapeLike(letter))

/** Returns a word in the cases that a text may have, because LIKE ignores the case of ASCII letters only. */
function casesOf(word: string): string[] {
  if (![...word].some((letter) => letter > '\x7f' && hasCase(letter))) return [word]
  const [first = '', ...rest] = word
  return [...new Set([word, first.toUpperCase() + rest.join(''), word.toUpperCase()])]
}

/**
 * Returns an SQL expression that orders matches of a word roughly: at the start, at the start of a word,
 * inside, and the letters apart from each other.
 */
function tierOf(text: RawBuilder<string>, word: string): RawBuilder<number> {
  const forms = casesOf(word).map(escapeLike)
  const matchesAny = (before: readonly string[]) => {
    const patterns = forms.flatMap((form) => before.map((start) => `${start}${form}%`))
    return sql.join(
      patterns.map((pattern) => matchesPattern(text, pattern)),
      sql` or `,
    )
  }
  const starts = separators.map((separator) => `%${escapeLike(separator)}`)
  return sql<number>`case when ${matchesAny([''])} then 0
    when ${matchesAny(starts)} then 1 when ${matchesAny(['%'])} then 2 else 3 end`
}

/**
 * Returns the items of a kind whose text contains the letters of each typed word in order, the closest
 * matches first. Reads the table or its index once: 10 ms for 30,000 prompts.
 */
export async function findCandidates(
  q: Query,
  scope: Scope,
  kind: StoredKind,
  typed: string,
): Promise<Candidate[]> {
  const { table, text, columns, label, where = always, groupBy, workspaceColumn } = tables[kind]
  const isInScope = workspaceColumn === null ? always : inScope(scope, workspaceColumn)
  const words = fold(typed)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 5)
  const conditions = words.map((word) => matchesPattern(text, `%${[...word].map(patternOf).join('%')}%`))
  const tiers = sql.join(
    words.map((word) => tierOf(text, word)),
    sql` + `,
  )
  const order = groupBy === undefined ? tiers : sql`min(${tiers})`
  const found = sql`select ${columns} from ${sql.table(table)}
    where ${where} and ${isInScope} and ${sql.join(conditions, sql` and `)}
    ${groupBy === undefined ? sql`` : sql`group by ${groupBy}`}
    order by ${order}, length(${sql.ref(label)}), label, id limit ${sql.lit(maxCandidates)}`
  // The index of prompts has the name in lower case only; the name is read for the candidates.
  const named =
    kind === 'prompt'
      ? sql`select found.*, (select name from prompts where id = found.id) as name from (${found}) as found`
      : found
  return (await sql<Candidate>`${named}`.execute(q)).rows
}
