import { environments } from '../../../contract/common/environments.ts'
import { runStatuses } from '../../../contract/runs/run.ts'
import { type OptionalRunField, optionalRunFields } from '../../../contract/runs/run-filters.ts'
import { t } from '../../lib/i18n.ts'
import type { WorkspaceName } from '../../shared/runs/drawer/run.queries.ts'
import type { RunNames } from '../../shared/runs/runNames.ts'
import type { FilterField } from '../../ui/filter/filters.ts'

/** Sources that the service records; apps may report others. */
const knownSources = ['playground', 'agent', 'workflow', 'sdk', 'gateway', 'otel']
/** Error types that the service records; apps may report others. */
const errorTypes = ['timeout', 'rate_limited', 'provider_error', 'unreachable', 'cancelled', 'interrupted']

export function runFilters(
  names: RunNames | undefined,
  workspaces: readonly WorkspaceName[] | undefined,
): readonly FilterField[] {
  const text = (name: string, label: string, suggestions: readonly string[] = []): FilterField => ({
    name,
    label,
    kind: 'text',
    suggestions,
    negation: `not_${name}`,
  })
  const workspace: FilterField = {
    name: 'workspace',
    label: t('runs:field.workspace'),
    kind: 'choice',
    isSingle: true,
    options: (workspaces ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
  }
  return [
    {
      name: 'status',
      label: t('runs:field.status'),
      kind: 'choice',
      negation: 'not_status',
      options: runStatuses.map((status) => ({ value: status, label: t(`common:status.${status}`) })),
    },
    {
      name: 'env',
      label: t('runs:field.env'),
      kind: 'choice',
      negation: 'not_env',
      options: environments.map((env) => ({ value: env, label: env })),
    },
    text('source', t('runs:field.source'), [...new Set([...(names?.sources ?? []), ...knownSources])]),
    text('provider', t('runs:field.provider'), names?.providers),
    text('model', t('runs:field.model'), names?.models),
    text('ref_key', t('runs:field.key'), names?.keys),
    text('version', t('runs:field.version')),
    text('app', t('runs:field.app')),
    text('token', t('runs:field.token')),
    text('session_id', t('runs:field.session')),
    text('end_user', t('runs:field.end_user')),
    text('tag', t('runs:field.tag')),
    text('user', t('runs:field.user')),
    workspace,
    ...ranges(),
    presence('has', t('runs:filter.has')),
    presence('has_no', t('runs:filter.has_no')),
    {
      name: 'metadata',
      label: t('runs:field.metadata'),
      kind: 'text',
      placeholder: t('runs:filter.metadata'),
    },
    text('error_type', t('runs:field.error_type'), errorTypes),
    text('client', t('runs:field.client')),
    text('parent_id', t('runs:field.parent')),
    text('trace_id', t('runs:field.trace')),
    text('reply_mark', t('runs:field.reply_mark'), ['unparsed', 'hit']),
  ]
}

/** The labels of fields whose name differs from the name of their text. */
const fieldLabels = {
  ref_key: 'key',
  session_id: 'session',
  parent_id: 'parent',
  cost_usd: 'cost',
  total_tokens: 'tokens',
  ttft_ms: 'ttft',
} as const

const labelOf = (field: OptionalRunField): string => {
  const name = field in fieldLabels ? fieldLabels[field as keyof typeof fieldLabels] : field
  return t(`runs:field.${name as Exclude<OptionalRunField, keyof typeof fieldLabels>}`)
}

/** Returns the filter by fields that a run has or lacks. */
const presence = (name: 'has' | 'has_no', label: string): FilterField => ({
  name,
  label,
  kind: 'choice',
  options: optionalRunFields.map((field) => ({ value: field, label: labelOf(field) })),
})

/** Returns the filters for the limits of figures. */
function ranges(): FilterField[] {
  const number = (name: string, label: string, unit?: string): FilterField => ({
    name,
    label,
    kind: 'number',
    ...(unit !== undefined && { unit }),
  })
  return [
    number('min_latency_ms', t('runs:filter.min_latency'), 'ms'),
    number('max_latency_ms', t('runs:filter.max_latency'), 'ms'),
    number('min_ttft_ms', t('runs:filter.min_ttft'), 'ms'),
    number('max_ttft_ms', t('runs:filter.max_ttft'), 'ms'),
    number('min_cost_usd', t('runs:filter.min_cost'), 'USD'),
    number('max_cost_usd', t('runs:filter.max_cost'), 'USD'),
    number('min_total_tokens', t('runs:filter.min_tokens')),
    number('max_total_tokens', t('runs:filter.max_tokens')),
  ]
}
