import { sql } from 'kysely'
import type { Excerpt } from '../../../../../contract/runs/run-content.ts'
import type { Query } from '../../../../db/types.ts'
import { createYield } from '../../../../lib/async/yield.ts'
import { runOwner } from '../../payloads/capture.ts'
import type { StoredPayloads } from '../../payloads/stored/stored-payloads.ts'
import type { IndexProgress } from '../content-index.ts'
import { type ContentQuery, indexTermsOf } from '../content-query.ts'
import type { ContentSearch } from '../content-search.ts'
import type { Candidate, CandidateOptions } from '../day/candidates.ts'
import type { ContentLine } from '../day/read-excerpts.ts'
import { excerptOf } from '../excerpt.ts'
import { anyTsquery, tsqueryOf } from '../terms.ts'

type Deps = {
  readonly q: Query
  readonly payloads: StoredPayloads
  /** Imports the payload files of an earlier version; resolves when they are in the database. */
  readonly ensureImported: () => Promise<void>
}

/**
 * The search in the database: a GIN index of the words of each payload, which are stored in the transaction of its run.
 * The index is always complete. Words are found by the same rules as in the index of files, see words.ts.
 */
export function createStoredSearch(deps: Deps): ContentSearch {
  const progress = () => readProgress(deps)
  return {
    start: deps.ensureImported,
    listener: { stored: () => undefined, removing: async () => undefined },
    candidates: (query, options) => findCandidates(deps, query, options),
    excerpts: (query, lines) => readExcerpts(deps, query, lines),
    async catchUp() {
      await deps.ensureImported()
      return progress()
    },
    progress,
    close: async () => undefined,
  }
}

async function readProgress({ payloads }: Deps): Promise<IndexProgress | null> {
  const ends = await payloads.ends()
  if (ends.length === 0) return null
  const totalBytes = ends.reduce((sum, { end }) => sum + end, 0)
  return { indexedBytes: totalBytes, totalBytes, damaged: 0 }
}

type Row = Candidate & {
  /** 1 if the payload may not match: it has more words than the index accepts. */
  readonly is_uncertain: number
}

/** Returns candidates in order; fewer than `limit` if there are no more. */
async function findCandidates(
  deps: Deps,
  query: ContentQuery,
  options: CandidateOptions,
): Promise<Candidate[]> {
  const text = tsqueryOf(indexTermsOf(query))
  const found: Candidate[] = []
  let { after } = options
  for (;;) {
    const limit = options.limit - found.length
    const rows = await readCandidates(deps.q, text, { ...options, after, limit })
    found.push(...(await withoutFalseMatches(deps, query, rows)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit || found.length === options.limit) return found
    after = last
  }
}

async function readCandidates(
  q: Query,
  text: string,
  { direction, after, from, to, limit }: CandidateOptions,
): Promise<readonly Row[]> {
  const [order, compared] = direction === 'desc' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const isAfter =
    after === null
      ? sql`true`
      : sql`(run_at, run_id) ${compared} (${sql.lit(after.created_at)}, ${sql.lit(after.id)})`
  const { rows } = await sql<Row>`select run_id as id, run_at as created_at, day, start as "offset", length,
      case when words @@ ${anyTsquery}::tsquery then 1 else 0 end as is_uncertain
    from payloads
    where words @@ ${text}::tsquery and run_id is not null
      and run_at >= ${sql.lit(from)} and run_at < ${sql.lit(to)} and ${isAfter}
    order by run_at ${order}, run_id ${order} limit ${sql.lit(limit)}`.execute(q)
  return rows
}

/** Reads uncertain candidates and removes those whose text does not match, as `isDecidedByIndex` requires. */
async function withoutFalseMatches(
  deps: Deps,
  query: ContentQuery,
  rows: readonly Row[],
): Promise<Candidate[]> {
  const uncertain = rows.filter(({ is_uncertain }) => is_uncertain === 1)
  if (uncertain.length === 0) return [...rows]
  const lines = uncertain.map((row) => ({ ...row, owner: runOwner(row.id) }))
  const excerpts = await readExcerpts(deps, query, lines)
  const falseMatches = new Set(uncertain.filter((_, index) => excerpts[index] === null))
  return rows.filter((row) => !falseMatches.has(row))
}

async function readExcerpts(
  { payloads }: Deps,
  query: ContentQuery,
  lines: readonly ContentLine[],
): Promise<(Excerpt | null)[]> {
  const yieldIfDue = createYield()
  const found: (Excerpt | null)[] = []
  const read = await payloads.readAll(lines.map((line) => ({ ...line, owners: [line.owner] })))
  for (const payload of read) {
    found.push(payload === null ? null : excerptOf(query, payload))
    await yieldIfDue()
  }
  return found
}
