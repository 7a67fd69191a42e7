import { environments } from '../../../contract/common/environments.ts'
import { type Client, clientStates, clientTypes } from '../../../contract/live/clients.ts'
import { t } from '../../lib/i18n.ts'
import { type FilterField, valuesOf } from '../../ui/filter/filters.ts'
import type { ClientsSearch } from './clients.search.ts'

/**
 * Returns the filters of the list. A client may name any environment, so those in the rows and in the URL are
 * options too.
 */
export function clientFilters(rows: readonly Client[], search: ClientsSearch): readonly FilterField[] {
  const others = [...rows.map((row) => row.namespace), ...valuesOf(search.namespace)].toSorted()
  const namespaces = [...new Set([...environments, ...others])]
  return [
    {
      name: 'client_type',
      label: t('clients:column.type'),
      kind: 'choice',
      options: clientTypes.map((type) => ({ value: type, label: t(`clients:type.${type}`) })),
    },
    {
      name: 'app',
      label: t('clients:column.app'),
      kind: 'text',
      suggestions: [...new Set(rows.map((row) => row.app))].toSorted(),
    },
    {
      name: 'namespace',
      label: t('clients:column.environment'),
      kind: 'choice',
      options: namespaces.map((name) => ({
        value: name,
        label: name,
      })),
    },
    {
      name: 'state',
      label: t('clients:column.state'),
      kind: 'choice',
      options: clientStates.map((state) => ({ value: state, label: t(`clients:count.${state}`) })),
    },
  ]
}

export const noFilters = {
  q: undefined,
  client_type: undefined,
  app: undefined,
  namespace: undefined,
  workspace: undefined,
  state: undefined,
} as const
