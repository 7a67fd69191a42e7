import { z } from 'zod'
import type { FieldError } from '../../../../contract/common/problem.ts'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { type WorkflowStep, WorkflowSteps } from '../../../../contract/workflows/workflow-step.ts'
import { fail } from '../../../lib/fail.ts'
import { checkSteps } from './check.ts'

export type WorkflowBehaviour = Pick<Workflow, 'steps' | 'variables'>

/** Returns the behaviour of steps. Throws 422 that names each invalid place. */
export function behaviourFrom(steps: readonly WorkflowStep[]): WorkflowBehaviour {
  const { findings, variables } = checkSteps(steps)
  const errors: FieldError[] = findings.map(({ path, message }) => ({ path, message }))
  const [first] = errors
  if (first === undefined) return { steps: [...steps], variables: [...variables] }
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `${first.path}: ${first.message}${more}`, errors })
}

const Imported = z.object({ steps: WorkflowSteps })
type ReadSteps = { readonly steps: WorkflowStep[] } | { readonly errors: FieldError[] }

/** Validates steps. Their nesting depth was checked when they were parsed. */
export function readSteps(steps: unknown): ReadSteps {
  const parsed = Imported.safeParse({ steps })
  if (parsed.success) return parsed.data
  return {
    errors: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'Unknown parameter' }))
        : [{ path: issue.path.join('.'), message: issue.message }],
    ),
  }
}

export function behaviourIn(
  fields: Readonly<Record<string, unknown>>,
  before: WorkflowBehaviour | null,
): WorkflowBehaviour {
  if (fields['steps'] === undefined && before !== null) return before
  const read = readSteps(fields['steps'])
  if ('errors' in read) throw fail('request.invalid', { errors: read.errors })
  return behaviourFrom(read.steps)
}
