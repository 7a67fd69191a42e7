import type { z } from 'zod'

type Issue = { path: readonly PropertyKey[]; message: string }

/** Splits unknown keys into one issue each. For a union it returns the issues of the closest branch. */
export function flatIssues(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'Unknown parameter' }))
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const [closest] = issue.errors
    .map((branch) => ({ distance: distanceOf(branch), found: branch.flatMap(flatIssues) }))
    .toSorted((a, b) => a.distance - b.distance || a.found.length - b.found.length)
  if (closest === undefined || (closest.distance > distances.inside && issue.message !== defaultMessage))
    return [issue]
  if (closest.distance === distances.otherType)
    return [{ path: issue.path, message: typesMessage(issue.errors.flat()) }]
  return closest.found.map((found) => ({ ...found, path: [...issue.path, ...found.path] }))
}

/** Zod's message of a union whose schema sets none. */
const defaultMessage = 'Invalid input'

/** Ranks the alternatives of a union by how well the input fits. `otherValue` may have another type, which enums do not check. */
const distances = { inside: 0, bounds: 1, otherValue: 2, otherType: 3 }

function distanceOf(branch: readonly z.core.$ZodIssue[]): number {
  const codes = branch.filter(({ path }) => path.length === 0).map(({ code }) => code)
  if (codes.includes('invalid_type')) return distances.otherType
  if (codes.includes('invalid_value') || codes.includes('invalid_union')) return distances.otherValue
  return codes.every((code) => code === 'unrecognized_keys') ? distances.inside : distances.bounds
}

/** Returns the message of a value whose type no branch accepts: "Invalid input: expected string or array, received null". */
function typesMessage(issues: readonly z.core.$ZodIssue[]): string {
  const own = issues.flatMap((issue) =>
    issue.path.length === 0 && issue.code === 'invalid_type' ? [issue] : [],
  )
  const types = new Set(own.map(({ expected }) => expected))
  return `Invalid input: expected ${[...types].join(' or ')}${/, received .*/.exec(own[0]?.message ?? '') ?? ''}`
}
