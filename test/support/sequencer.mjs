import { BaseSequencer } from 'vitest/node'
import { fromRoot } from '../../scripts/lib/root.mjs'

/** Test files that run for a minute or more, longest first. */
const longest = [
  'test/anomaly/crash.test.ts',
  'test/anomaly/harness.test.ts',
  'test/renderer/tables/tables.test.ts',
]

/**
 * Runs the longest test files first: if one started last, only one worker would be busy at the end. Vitest
 * orders by duration only with the cache of an earlier run, which a fresh clone does not have.
 */
export class LongestFirst extends BaseSequencer {
  /** @override @type {BaseSequencer['sort']} */
  async sort(files) {
    const sorted = await super.sort(files)
    const rank = (/** @type {typeof files[number]} */ { moduleId, project }) => {
      const at = longest.indexOf(fromRoot(moduleId))
      // Files that share a process stay together: it ends when a file of the other project is next.
      const ofProject = project.config.isolate ? 0 : longest.length + 1
      return ofProject + (at === -1 ? longest.length : at)
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
