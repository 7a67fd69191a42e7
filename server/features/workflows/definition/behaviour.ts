import { z } from 'zod'
import type { FieldError } from '../../../../contract/common/problem.ts'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { type WorkflowStep, WorkflowSteps } from '../../../../contract/workflows/workflow-step.ts'
import { fail } from '../../../lib/fail.ts'
import { checkSteps, type HasProvider, missingProviders } from './check.ts'

export type WorkflowBehaviour = Pick<Workflow, 'steps' | 'variables'>

/** Returns the behaviour of steps. Throws 422 that names the path of each finding. */
export function validBehaviour(steps: readonly WorkflowStep[], hasProvider: HasProvider): WorkflowBehaviour {
  const checked = checkSteps(steps)
  const { variables } = checked
  const findings = [...checked.findings, ...missingProviders(checked, hasProvider)]
  const errors: FieldError[] = findings.map(({ path, message }) => ({ path, message }))
  const [first] = errors
  if (first === undefined) return { steps: [...steps], variables: [...variables] }
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `${first.path}: ${first.message}${more}`, errors })
}

const ImportedWorkflow = z.object({ steps: WorkflowSteps })
type StepsResult = { readonly steps: WorkflowStep[] } | { readonly errors: FieldError[] }

/** Validates steps. Their nesting depth was checked when they were parsed. */
export function readSteps(steps: unknown): StepsResult {
  const parsed = ImportedWorkflow.safeParse({ steps })
  if (parsed.success) return parsed.data
  return {
    errors: parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key].join('.'), message: 'Unknown parameter' }))
        : [{ path: issue.path.join('.'), message: issue.message }],
    ),
  }
}

/** Returns the behaviour that results from an import file. Without `steps`, it does not change. */
export function importedBehaviour(
  fields: Readonly<Record<string, unknown>>,
  before: WorkflowBehaviour | null,
  hasProvider: HasProvider,
): WorkflowBehaviour {
  if (fields['steps'] === undefined && before !== null) return before
  const result = readSteps(fields['steps'])
  if ('errors' in result) throw fail('request.invalid', { errors: result.errors })
  return validBehaviour(result.steps, hasProvider)
}
