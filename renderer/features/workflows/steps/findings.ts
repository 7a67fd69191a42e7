import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { WorkflowCheck, WorkflowFinding } from '../../../../contract/workflows/workflow.ts'
import { client } from '../../../lib/service/api.ts'
import type { FieldErrorOf } from '../../../shared/models/fieldErrorOf.ts'
import { type Branch, type EditStep, wireSteps } from './steps.ts'

/**
 * A finding about a step. `field` is a path such as `template` or `params.temperature`; empty for the whole
 * step.
 */
export type Finding = Pick<WorkflowFinding, 'severity' | 'message'> & { readonly field: string }
export type Findings = {
  readonly check: WorkflowCheck
  readonly byStep: ReadonlyMap<string, readonly Finding[]>
}

const branchNames: readonly string[] = ['then', 'else', 'steps']

/** Resolves a path such as `steps.1.then.0.agent_key` to the step and its field; null if it names no step. */
function locate(
  path: string,
  steps: readonly EditStep[],
): { readonly uid: string; readonly field: string } | null {
  const parts = path.split('.')
  let list: readonly EditStep[] | undefined = steps
  let at = 1
  let found: EditStep | undefined
  if (parts[0] !== 'steps') return null
  while (list !== undefined) {
    const next: EditStep | undefined = list[Number(parts[at])]
    if (next === undefined) break
    found = next
    at += 1
    const branch = parts[at] ?? ''
    if (!branchNames.includes(branch) || parts[at + 1] === undefined) break
    list = next[branch as Branch]
    at += 1
  }
  return found === undefined ? null : { uid: found.uid, field: parts.slice(at).join('.') }
}

function groupByStep(
  findings: readonly WorkflowFinding[],
  steps: readonly EditStep[],
): ReadonlyMap<string, readonly Finding[]> {
  const grouped = new Map<string, Finding[]>()
  for (const { path, severity, message } of findings) {
    const location = locate(path, steps)
    if (location === null) continue
    const finding = { severity, message, field: location.field }
    grouped.set(location.uid, [...(grouped.get(location.uid) ?? []), finding])
  }
  return grouped
}

/** Debounce of the check while typing, in milliseconds. */
const debounceMs = 250

const checkQuery = (steps: readonly EditStep[], workspace: string) =>
  queryOptions({
    // The key starts with `agent`, because changes of agents can make a step valid or invalid.
    queryKey: ['agent', 'workflow check', workspace, steps],
    queryFn: async ({ signal }): Promise<Findings> => {
      const body = { steps: wireSteps(steps), workspace_id: workspace }
      const { data } = await client.workflows.validate({ body }, { signal })
      return { check: data, byStep: groupByStep(data.findings, steps) }
    },
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })

/** Returns the service's findings about the edited steps, debounced; undefined until the first reply. */
export function useFindings(steps: readonly EditStep[], workspace: string): Findings | undefined {
  const [debounced] = useDebouncedValue(steps, debounceMs)
  return useQuery(checkQuery(debounced, workspace)).data
}

/** Returns a lookup of the first finding for a field or its subfields, for display at the field. */
export const fieldErrorLookup =
  (findings: readonly Finding[]): FieldErrorOf =>
  (path) =>
    findings.find(({ field }) => field === path || field.startsWith(`${path}.`))?.message
