import { toCsv } from '../../lib/format/csv.ts'
import { saveFile } from '../../lib/service/download.ts'
import { figures } from './figures.ts'
import { nameColumnsOf, nameOf, type Workspaces } from './groupNames.ts'
import { dimensionsOf, type GroupedStats } from './statistics.queries.ts'

const more = ['cost_unknown', 'exact'] as const

/** Saves the table as CSV, with the exact values, those of the previous period, and the times of the period. */
export function saveCsv({ stats, search, range, now }: GroupedStats, workspaces: Workspaces): void {
  const { from = null, to = new Date(now).toISOString() } = range
  const names = nameColumnsOf(dimensionsOf(search))
  const rows = (stats.groups ?? []).map((group) => ({
    ...Object.fromEntries(names.map((name) => [name, nameOf(name, group, workspaces)])),
    ...Object.fromEntries([...figures, ...more].map((figure) => [figure, group[figure]])),
    ...Object.fromEntries(figures.map((figure) => [`previous_${figure}`, group.previous?.[figure] ?? null])),
    from,
    to,
  }))
  const previous = figures.map((figure) => `previous_${figure}`)
  const columns = [...names, ...figures, ...more, ...previous, 'from', 'to']
  saveFile(
    `statistics-${dimensionsOf(search).join('-')}-${to.slice(0, 10)}.csv`,
    [toCsv(columns, rows)],
    'text/csv',
  )
}
