import { nestedIn, type WorkflowStep } from '../../../contract/workflow-step.ts'

/**
 * Which steps were under way when the service ended, as far as what ended before tells: the first of a list that has no
 * result, and inside it the same; of `parallel` all that have none.
 */
export function stepsUnderWay(
  steps: readonly WorkflowStep[],
  ended: ReadonlySet<string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const first = (list: readonly WorkflowStep[]) => {
    const step = list.find(({ name }) => !ended.has(name))
    if (step !== undefined) mark(step)
  }
  const mark = (step: WorkflowStep) => {
    found.add(step.name)
    const lists = nestedIn(step).filter(([, nested]) => nested.some(({ name }) => !ended.has(name)))
    if (step.type === 'parallel') for (const [, nested] of lists) for (const each of nested) markMissing(each)
    // The branch that was not taken is skipped at once, which is a result.
    const [only, ...others] = lists
    if (step.type === 'condition' && only !== undefined && others.length === 0) first(only[1])
  }
  const markMissing = (step: WorkflowStep) => {
    if (!ended.has(step.name)) mark(step)
  }
  first(steps)
  return found
}
