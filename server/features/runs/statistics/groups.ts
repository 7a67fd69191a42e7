import type {
  StatDimension,
  StatGroup,
  StatGroupNames,
  StatSortField,
} from '../../../../contract/runs/run-stats.ts'
import { type NameLookup, namesIn } from '../store/forms.ts'
import { type Groups, keyOf } from './collect.ts'
import type { StatColumn } from './sources.ts'
import { addSums, type Figures, figuresOf, newSums, type Sums } from './sums.ts'

/**
 * The columns of each dimension. A key is unique only within an environment, and a version only within a
 * prompt.
 */
const columnsOfDimension: Readonly<Record<StatDimension, readonly StatColumn[]>> = {
  provider: ['provider'],
  model: ['model'],
  ref_key: ['ref_key', 'env'],
  version: ['ref_key', 'version', 'env'],
  env: ['env'],
  workspace: ['workspace'],
  app: ['app'],
  user: ['user'],
  token: ['token'],
  source: ['source'],
  status: ['status'],
  tag: ['tags'],
  error_type: ['error_type'],
}

/** Returns the columns of dimensions, each once. */
export const columnsOf = (dimensions: readonly StatDimension[]): StatColumn[] => [
  ...new Set(dimensions.flatMap((dimension) => columnsOfDimension[dimension])),
]

/** A group, with texts instead of sets of tags: a run belongs to the group of each of its tags. */
export type NamedGroup = {
  /** Ids of names; texts of tags. Null is a missing name. */
  readonly names: readonly (number | string | null)[]
  readonly sums: Sums
}
export type NamedGroups = Map<string, NamedGroup>

/** Returns the ids of all sets of tags in groups. */
export function tagSetsIn(columns: readonly StatColumn[], groups: Groups): number[] {
  const index = columns.indexOf('tags')
  return index < 0 ? [] : [...groups.values()].flatMap(({ ids }) => ids[index] || [])
}

/** Returns the names of the groups to which a run with these ids belongs. */
export function namesOfGroup(
  columns: readonly StatColumn[],
  ids: readonly number[],
  nameOf: NameLookup,
): (number | string | null)[][] {
  const names: (number | string | null)[] = ids.map((id, index) =>
    id === 0 && columns[index] !== 'status' ? null : id,
  )
  const index = columns.indexOf('tags')
  if (index < 0) return [names]
  const tags = namesIn(nameOf(ids[index] || null)) ?? []
  return (tags.length === 0 ? [null] : tags).map((tag) => names.with(index, tag))
}

/** Returns groups with one tag each in place of sets of tags. Groups without runs are removed. */
export function namedGroupsOf(
  columns: readonly StatColumn[],
  groups: Groups,
  nameOf: NameLookup,
): NamedGroups {
  const named: NamedGroups = new Map()
  for (const { ids, sums } of groups.values()) {
    for (const names of namesOfGroup(columns, ids, nameOf)) {
      const key = keyOfNames(names)
      const group = named.get(key)
      if (group === undefined) named.set(key, { names, sums: columns.includes('tags') ? copyOf(sums) : sums })
      else addSums(group.sums, sums)
    }
  }
  for (const [key, { sums }] of named) if (sums.ok + sums.error === 0) named.delete(key)
  return named
}

export const keyOfNames = (names: NamedGroup['names']): string =>
  keyOf(names.map((name) => (name === null ? 'n' : typeof name === 'string' ? `t${name}` : name)))

function copyOf(sums: Sums): Sums {
  const copy = newSums()
  addSums(copy, sums)
  return copy
}

type Ranked = NamedGroup & { readonly key: string; readonly value: number | null }

/** Returns the groups in the order of a figure. Equal ones are in the order of their keys. */
export function sortGroups(groups: NamedGroups, sort: StatSortField | `-${StatSortField}`): Ranked[] {
  const isDescending = sort.startsWith('-')
  const field = (isDescending ? sort.slice(1) : sort) as StatSortField
  const ranked = [...groups].map(
    ([key, group]): Ranked => ({ ...group, key, value: figuresOf(group.sums)[field] }),
  )
  return ranked.sort((a, b) => {
    if (a.value === null || b.value === null || a.value === b.value) {
      if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1
      return a.key < b.key ? -1 : 1
    }
    return isDescending ? b.value - a.value : a.value - b.value
  })
}

/** Returns the sum of groups; null without groups. */
export function sumOf(groups: readonly NamedGroup[]): Figures | null {
  if (groups.length === 0) return null
  const total = newSums()
  for (const { sums } of groups) addSums(total, sums)
  return figuresOf(total)
}

export const idsIn = (columns: readonly StatColumn[], groups: readonly NamedGroup[]): number[] =>
  groups.flatMap(({ names }) =>
    names.filter((name, index): name is number => typeof name === 'number' && columns[index] !== 'status'),
  )

/** Returns the names of a group in the contract. */
function wireNames(
  columns: readonly StatColumn[],
  names: NamedGroup['names'],
  nameOf: NameLookup,
): StatGroupNames {
  const texts = names.map((name, index) => {
    if (columns[index] === 'status') return name === 0 ? 'ok' : 'error'
    return typeof name === 'number' ? nameOf(name) : name
  })
  // The names of the columns are those of the contract, except for tags.
  return Object.fromEntries(
    columns.map((column, index) => [column === 'tags' ? 'tag' : column, texts[index]]),
  )
}

/** Returns a group in the form of the contract. `previous`: undefined if nothing is compared. */
export const wireGroup = (
  columns: readonly StatColumn[],
  { names, sums }: NamedGroup,
  nameOf: NameLookup,
  previous: Figures | null | undefined,
  series: StatGroup['series'],
): StatGroup => ({
  ...wireNames(columns, names, nameOf),
  ...figuresOf(sums),
  ...(previous !== undefined && { previous }),
  ...(series !== undefined && { series }),
})
