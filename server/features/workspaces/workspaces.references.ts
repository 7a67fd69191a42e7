import { nestedIn, type WorkflowStep } from '../../../contract/workflows/workflow-step.ts'

/** The new keys of items that were renamed while a workspace was deleted, by `placeOf`. */
export type RenamedKeys = Map<string, string>

/** `env`: null except for prompts. */
export const placeOf = (resource: 'prompt' | 'agent' | 'workflow', key: string, env: string | null) =>
  JSON.stringify([resource, key, env])

/** The fields of an agent or workflow that refer to other items. */
type Behaviour = {
  readonly prompt_key?: string | null
  readonly env?: string
  readonly steps?: readonly WorkflowStep[]
}

/** Returns the behaviour of an agent or workflow, as JSON, with the new keys of the items that it refers to. */
export function withRenamedKeys(body: string, renamed: RenamedKeys): string {
  const behaviour: Behaviour = JSON.parse(body)
  const { prompt_key: key, env = 'prod', steps } = behaviour
  return JSON.stringify({
    ...behaviour,
    ...(key != null && { prompt_key: renamed.get(placeOf('prompt', key, env)) ?? key }),
    ...(steps !== undefined && { steps: stepsWithKeys(steps, renamed) }),
  })
}

const stepsWithKeys = (steps: readonly WorkflowStep[], renamed: RenamedKeys): WorkflowStep[] =>
  steps.map((step) => {
    if (step.type === 'agent')
      return { ...step, agent_key: renamed.get(placeOf('agent', step.agent_key, null)) ?? step.agent_key }
    const nested = nestedIn(step).map(([name, inner]) => [name, stepsWithKeys(inner, renamed)])
    return { ...step, ...Object.fromEntries(nested) }
  })
