import type { z } from 'zod'

type Issue = { path: readonly PropertyKey[]; message: string }

/** Splits unknown keys into one issue each. For a union it returns the issues of the closest branch. */
export function flatIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'Unknown parameter' }))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const branches = issue.errors.map((branch) => branch.flatMap(flatIssues))
    const closest = branches.filter((branch) => branch.every((found) => found.path.length > 0))
    const shortest = closest.toSorted((a, b) => a.length - b.length)[0]
    if (shortest) return shortest.map((found) => ({ ...found, path: [...issue.path, ...found.path] }))
  }
  return [issue]
}
