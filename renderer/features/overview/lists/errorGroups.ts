import type { Run } from '../../../../contract/runs/run.ts'

export type ErrorGroup = {
  readonly message: string | null
  readonly count: number
  readonly latest: Run
  readonly models: readonly string[]
}

/** Replaces the parts that differ between occurrences of one error: ids, numbers, words with digits. */
const normalizeMessage = (message: string): string =>
  message
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27,}/gi, '#')
    .replace(/\b(?=\w*\d)\w{6,}\b/g, '#')
    .replace(/\d+(?:\.\d+)?/g, '#')

/** Groups failed runs by message, newest group first. `runs` must be sorted newest first. */
export function groupErrors(runs: readonly Run[]): readonly ErrorGroup[] {
  const groups = new Map<string, { count: number; latest: Run; models: Set<string> }>()
  for (const run of runs) {
    const key = normalizeMessage(run.error ?? '')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { count: 1, latest: run, models: new Set([run.model]) })
    else {
      group.count += 1
      group.models.add(run.model)
    }
  }
  return [...groups.values()].map(({ count, latest, models }) => ({
    message: latest.error,
    count,
    latest,
    models: [...models],
  }))
}

/** The service uses at most this many words of a search. */
const maxWords = 10

/**
 * Returns a search for the runs of a group: the words of its message without variable parts; null if there
 * are none.
 */
export function searchFor(message: string | null): string | null {
  const words = (normalizeMessage(message ?? '').match(/[\p{L}\p{M}#]+/gu) ?? []).filter(
    (word) => word.length > 1 && !word.includes('#'),
  )
  return words.length === 0 ? null : [...new Set(words)].slice(0, maxWords).join(' ').slice(0, 200)
}
