import type { OptionalRunField } from '../../../contract/runs/run-filters.ts'
import type { StatDimension, StatGroup } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import type { RunsLink } from './runsLink.ts'

/** A column that shows the value of one dimension of a group. */
export type NameColumn = StatDimension

/** Returns the columns with the names of groups. A prompt is shown with its environment. */
export function nameColumnsOf(dimensions: readonly StatDimension[]): readonly NameColumn[] {
  const parts: Partial<Record<StatDimension, readonly StatDimension[]>> = {
    ref_key: ['ref_key', 'env'],
    version: ['ref_key', 'version', 'env'],
  }
  return [...new Set(dimensions.flatMap((dimension) => parts[dimension] ?? [dimension]))]
}

/**
 * The fields for the filter `has_no`, which finds runs without a value. There is no such filter for the other
 * dimensions, such as the error type.
 */
const optionalFields: Partial<Record<NameColumn, OptionalRunField>> = {
  ref_key: 'ref_key',
  version: 'version',
  env: 'env',
  app: 'app',
  token: 'token',
  tag: 'tags',
}

export type Workspaces = ReadonlyMap<string, { readonly name: string; readonly slug: string }>

/** Returns a name as text. */
export function nameOf(column: NameColumn, group: StatGroup, workspaces: Workspaces): string {
  const name = group[column]
  if (name === null || name === undefined) return t(`statistics:none.${column === 'env' ? 'env' : 'other'}`)
  return column === 'workspace' ? (workspaces.get(name)?.name ?? name) : name
}

export const isMissing = (column: NameColumn, group: StatGroup): boolean =>
  group[column] === null || group[column] === undefined

/** Returns the filters that find the runs of a group; null if there are none. */
export function filtersOfGroup(
  columns: readonly NameColumn[],
  group: StatGroup,
  workspaces: Workspaces,
): RunsLink | null {
  let link: RunsLink = {}
  for (const column of columns) {
    const name = group[column]
    if (name === null || name === undefined) {
      const field = optionalFields[column]
      if (field === undefined) return null
      link = { ...link, has_no: [...(link.has_no ?? []), field] }
    } else if (column === 'workspace') link = { ...link, workspace: workspaces.get(name)?.slug ?? name }
    // TypeScript does not check the value; the service sends only valid environments and statuses.
    else link = { ...link, [column]: [name] }
  }
  return link
}
