import { useQuery } from '@tanstack/react-query'
import { type AuditEntry, auditActions, auditResources } from '../../../contract/system/audit.ts'
import { t } from '../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import type { FilterField } from '../../ui/filter/filters.ts'

const distinct = (values: readonly (string | null)[]): string[] =>
  [...new Set(values.filter((value) => value !== null))].toSorted()

/**
 * Returns the filters of the audit log. Actors and keys of the displayed rows are suggestions; others can be
 * typed.
 */
export function useAuditFilters(rows: readonly AuditEntry[]): readonly FilterField[] {
  const workspaces = useQuery(workspaceChoicesQuery)
  return [
    {
      name: 'actor',
      label: t('audit:filter.actor'),
      kind: 'text',
      suggestions: distinct(rows.map((row) => row.actor)),
    },
    {
      name: 'action',
      label: t('audit:column.action'),
      kind: 'choice',
      options: auditActions.map((action) => ({ value: action, label: t(`audit:action.${action}`) })),
    },
    {
      name: 'resource',
      label: t('audit:column.resource'),
      kind: 'choice',
      options: auditResources.map((resource) => ({
        value: resource,
        label: t(`audit:resource.${resource}`),
      })),
    },
    {
      name: 'key',
      label: t('audit:column.key'),
      kind: 'text',
      suggestions: distinct(rows.map((row) => row.key)),
    },
    {
      name: 'workspace',
      label: t('audit:column.workspace'),
      kind: 'choice',
      isSingle: true,
      options: (workspaces.data ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
    },
    { name: 'resource_id', label: t('audit:filter.resource_id'), kind: 'text' },
  ]
}

export const noFilters = {
  q: undefined,
  actor: undefined,
  action: undefined,
  resource: undefined,
  resource_id: undefined,
  key: undefined,
  workspace: undefined,
  period: undefined,
  from: undefined,
  to: undefined,
} as const
