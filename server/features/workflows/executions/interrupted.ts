import { nestedIn, type WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'

/**
 * Returns the steps that were probably active when the service ended: the first step of a list without a
 * result, and the same for its nested steps; in `parallel` all steps without a result.
 */
export function activeSteps(steps: readonly WorkflowStep[], ended: ReadonlySet<string>): ReadonlySet<string> {
  const active = new Set<string>()
  const markFirst = (list: readonly WorkflowStep[]) => {
    const step = list.find(({ name }) => !ended.has(name))
    if (step !== undefined) mark(step)
  }
  const mark = (step: WorkflowStep) => {
    active.add(step.name)
    const lists = nestedIn(step).filter(([, nested]) => nested.some(({ name }) => !ended.has(name)))
    if (step.type === 'parallel') for (const [, nested] of lists) for (const each of nested) markMissing(each)
    // The branch that was not taken has results, because its steps are skipped immediately.
    const [only, ...others] = lists
    if (step.type === 'condition' && only !== undefined && others.length === 0) markFirst(only[1])
  }
  const markMissing = (step: WorkflowStep) => {
    if (!ended.has(step.name)) mark(step)
  }
  markFirst(steps)
  return active
}
