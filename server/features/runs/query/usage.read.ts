import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import { namesIn } from '../store/forms.ts'
import type { NameDictionary } from '../store/names.store.ts'

/** Maximum number of runs to read; the newest ones show what apps send now. */
const maxRuns = 10_000

/** Grouped in SQL, so that few rows are returned: there are few sets of variables and versions. */
const groups = prepareQuery(
  (q, p: Params<{ refKey: number; workspace: number; env: number; from: number }>) =>
    q
      .selectFrom(
        q
          .selectFrom('runs')
          .select(['variables', 'version'])
          .where('ref_key', '=', p('refKey'))
          .where('workspace', '=', p('workspace'))
          .where('env', '=', p('env'))
          .where('created_at', '>=', p('from'))
          .orderBy('created_at', 'desc')
          .limit(maxRuns)
          .as('newest'),
      )
      .select(['variables', 'version', ({ fn }) => fn.countAll<number>().as('count')])
      .groupBy(['variables', 'version']),
)

/** Returns the names of variables and the versions in the runs of a prompt since a time. */
export async function readUsage(
  q: Query,
  names: NameDictionary,
  prompt: { readonly workspaceId: string; readonly key: string; readonly env: string; readonly from: Date },
) {
  const noUsage = { names: [], runsSeen: 0, byVersion: [] }
  const refKey = await names.findId(q, 'ref_key', prompt.key)
  const workspace = await names.findId(q, 'workspace', prompt.workspaceId)
  const env = await names.findId(q, 'env', prompt.env)
  if (refKey === null || workspace === null || env === null) return noUsage
  const rows = await groups(q, { refKey, workspace, env, from: prompt.from.getTime() })
  const ids = rows.flatMap(({ variables, version }) => [variables ?? [], version ?? []].flat())
  const nameOf = await names.loadTexts(q, ids)
  const byName = new Map<string, number>()
  const byVersion = new Map<string | null, number>()
  let runsSeen = 0
  for (const { variables, version, count } of rows) {
    const label = nameOf(version)
    byVersion.set(label, (byVersion.get(label) ?? 0) + count)
    const variablesUsed = namesIn(nameOf(variables))
    if (variablesUsed === null) continue
    runsSeen += count
    for (const name of variablesUsed) byName.set(name, (byName.get(name) ?? 0) + count)
  }
  // The database returns groups in any order, so equal numbers are sorted by name.
  const descending = ([a, x]: readonly [string | null, number], [b, y]: readonly [string | null, number]) =>
    y - x || ((a ?? '') < (b ?? '') ? -1 : 1)
  return {
    names: [...byName].toSorted(descending).map(([name, runs]) => ({ name, runs })),
    runsSeen,
    byVersion: [...byVersion].toSorted(descending).map(([version, count]) => ({ version, count })),
  }
}
