import type { Run } from '../../../../contract/runs/run.ts'
import type { StatDimension } from '../../../../contract/runs/run-stats.ts'
import type { Filters } from './arbitraries.ts'

const slugs: Record<string, string> = { sales: 'w-sales', lab: 'w-lab' }

const words = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

const isExcluded = (unwanted: string[] | undefined, value: string | null) =>
  value !== null && (unwanted ?? []).includes(value)

const hasTag = (tags: string[] | undefined, run: Run, isWanted: boolean) =>
  tags === undefined || tags.some((tag) => run.tags?.includes(tag)) === isWanted

/** Reference implementation of the filters. */
export function matches(run: Run, f: Filters): boolean {
  const at = Date.parse(run.created_at)
  const isAny = (wanted: string[] | undefined, value: string | null) =>
    wanted === undefined || (value !== null && wanted.includes(value))
  return (
    isAny(f.source, run.source) &&
    isAny(f.provider, run.provider) &&
    isAny(f.model, run.model) &&
    isAny(f.status, run.status) &&
    isAny(
      f.workspace?.map((idOrSlug) => slugs[idOrSlug] ?? idOrSlug),
      run.workspace_id,
    ) &&
    isAny(f.ref_key, run.ref_key) &&
    isAny(f.version, run.version) &&
    isAny(f.user, run.user) &&
    isAny(f.env, run.env) &&
    isAny(f.app, run.app) &&
    isAny(f.error_type, run.error_type) &&
    hasTag(f.tag, run, true) &&
    !isExcluded(f.not_provider, run.provider) &&
    !isExcluded(f.not_app, run.app) &&
    hasTag(f.not_tag, run, false) &&
    (f.has_no ?? []).every((field) => run[field as keyof Run] === null) &&
    (f.from === undefined || at >= f.from.getTime()) &&
    (f.to === undefined || at < f.to.getTime()) &&
    (f.min_latency_ms === undefined || run.latency_ms >= f.min_latency_ms) &&
    (f.max_latency_ms === undefined || run.latency_ms <= f.max_latency_ms) &&
    (f.q === undefined ||
      words(f.q).every((word) =>
        [run.ref_key, run.model, run.error].some((text) => words(text ?? '').some((w) => w.startsWith(word))),
      ))
  )
}

export const newestFirst = (a: Run, b: Run) =>
  a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1

export function groupNamesOf(
  run: Run,
  dimensions: readonly StatDimension[],
): Record<string, string | null>[] {
  const names: Record<string, string | null> = {}
  for (const dimension of dimensions) {
    if (dimension === 'ref_key' || dimension === 'version') {
      names['ref_key'] = run.ref_key
      names['env'] = run.env
    }
    if (dimension === 'workspace') names['workspace'] = run.workspace_id
    else if (dimension !== 'tag') names[dimension] = run[dimension]
  }
  if (!dimensions.includes('tag')) return [names]
  return (run.tags ?? [null]).map((tag) => ({ ...names, tag }))
}

export const textOf = (names: Record<string, string | null>) => JSON.stringify(Object.entries(names).sort())

/** Returns the runs of each group, and those of the earlier period. */
export function groupsOf(all: Run[], query: Filters, earlier: Filters, dimensions: readonly StatDimension[]) {
  const groups = new Map<string, { runs: Run[]; previous: Run[] }>()
  for (const run of all)
    for (const names of groupNamesOf(run, dimensions)) {
      const group = groups.get(textOf(names)) ?? { runs: [], previous: [] }
      if (matches(run, query)) group.runs.push(run)
      if (matches(run, earlier)) group.previous.push(run)
      groups.set(textOf(names), group)
    }
  return groups
}
