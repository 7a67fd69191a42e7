import { runStatuses } from '../../../contract/runs/run.ts'
import { t } from '../../lib/i18n.ts'
import type { RunNames } from '../../shared/runs/runNames.ts'
import type { FilterField } from '../../ui/filter/filters.ts'
import type { WorkspaceName } from './runs.queries.ts'

/** Sources that the service records; apps may report others. */
const knownSources = ['playground', 'agent', 'workflow', 'sdk']
/** Error types that the service records; apps may report others. */
const errorTypes = ['timeout', 'rate_limited', 'provider_error', 'unreachable', 'cancelled', 'interrupted']
/** With more workspaces, the filter is a text field instead of a list. */
const maxChoices = 12

/** Returns the filters of the run log. */
export function runFilters(
  names: RunNames | undefined,
  workspaces: readonly WorkspaceName[] | undefined,
): readonly FilterField[] {
  const text = (name: string, label: string, suggestions: readonly string[] = []): FilterField => ({
    name,
    label,
    kind: 'text',
    suggestions,
  })
  const workspace: FilterField =
    workspaces !== undefined && workspaces.length > 0 && workspaces.length <= maxChoices
      ? {
          name: 'workspace',
          label: t('runs:field.workspace'),
          kind: 'choice',
          isSingle: true,
          options: workspaces.map(({ slug, name }) => ({ value: slug, label: name })),
        }
      : {
          name: 'workspace',
          label: t('runs:field.workspace'),
          kind: 'text',
          isSingle: true,
          placeholder: t('runs:filter.slug'),
        }
  return [
    {
      name: 'status',
      label: t('runs:field.status'),
      kind: 'choice',
      options: runStatuses.map((status) => ({ value: status, label: t(`common:status.${status}`) })),
    },
    text('source', t('runs:field.source'), [...new Set([...(names?.sources ?? []), ...knownSources])]),
    text('provider', t('runs:field.provider'), names?.providers),
    text('model', t('runs:field.model'), names?.models),
    text('ref_key', t('runs:field.key'), names?.keys),
    text('version', t('runs:field.version')),
    text('user', t('runs:field.user')),
    workspace,
    { name: 'min_latency_ms', label: t('runs:filter.min_latency'), kind: 'number', unit: 'ms' },
    { name: 'max_latency_ms', label: t('runs:filter.max_latency'), kind: 'number', unit: 'ms' },
    text('error_type', t('runs:field.error_type'), errorTypes),
    text('client', t('runs:field.client')),
    text('parent_id', t('runs:field.parent')),
  ]
}

/** Clears every filter and the free text. */
export const noFilters = {
  q: undefined,
  content: undefined,
  status: undefined,
  source: undefined,
  provider: undefined,
  model: undefined,
  ref_key: undefined,
  version: undefined,
  user: undefined,
  client: undefined,
  parent_id: undefined,
  error_type: undefined,
  min_latency_ms: undefined,
  max_latency_ms: undefined,
}
