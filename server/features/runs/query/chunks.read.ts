import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { Run } from '../../../../contract/runs/run.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import type { Scope } from '../../../lib/context.ts'
import { parseContentQuery } from '../content/content-query.ts'
import { type RunFilter, readFilter } from '../store/filters.ts'
import { type RunKey, runStore } from '../store/runs.store.ts'
import { contentMatches } from './content.read.ts'
import { keysOf } from './matches.read.ts'
import { type ReaderDeps, toWire } from './reader-deps.ts'

export type ExportQuery = Omit<InputOf<typeof endpoints.export>['query'], 'format'>
const rowsPerChunk = 500

/** Yields every matching run, newest first, in chunks of a few hundred. */
export async function* runChunks(deps: ReaderDeps, scope: Scope, query: ExportQuery): AsyncGenerator<Run[]> {
  const { read } = deps.db
  const filter = await readFilter(read, deps.names, scope, query)
  if (filter === null) return
  let keys: RunKey[] = []
  for await (const found of exportedKeys(deps, filter, query.content)) {
    keys.push(...found)
    if (keys.length < rowsPerChunk) continue
    yield await toWire(deps, await runStore.byIds(read, keys))
    keys = []
  }
  if (keys.length > 0) yield await toWire(deps, await runStore.byIds(read, keys))
}

/** Yields the keys of all matching runs, newest first. */
async function* exportedKeys(
  deps: ReaderDeps,
  filter: RunFilter,
  text: string | undefined,
): AsyncGenerator<readonly RunKey[]> {
  if (text === undefined) {
    yield* keysOf(deps.db.read, filter, 'desc', undefined, rowsPerChunk)
    return
  }
  const query = parseContentQuery(text)
  if (query === null) return
  const all = { direction: 'desc', after: undefined, wanted: rowsPerChunk, hasExcerpts: false } as const
  for await (const { key } of contentMatches(deps, filter, query, all)) yield [key]
}
