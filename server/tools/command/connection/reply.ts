import { z } from 'zod'
import { printable } from '../io/failure.ts'

/** The part of a problem that a person reads. Codes of newer services may be unknown. */
const Problem = z.object({ detail: z.string() })

/** Returns the reason that a rejecting service gave, or its status. */
export function reasonIn(status: number, text: string): string {
  const problem = Problem.safeParse(jsonOf(text))
  return problem.success ? printable(problem.data.detail) : `It replied with status ${status}`
}

/** Parses JSON; undefined for any other text, which the caller's schema refuses. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
