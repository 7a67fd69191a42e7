import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ClientState } from '../../../contract/live/clients.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Hint } from '../../ui/display/Hint.tsx'
import styles from './clients.module.css'
import { clientSummaryQuery } from './clients.queries.ts'
import type { ClientsSearch } from './clients.search.ts'

const counted = ['app', 'behind', 'missing_key', 'outdated_sdk', 'console'] as const
type Counted = (typeof counted)[number]

const isState = (name: Counted): name is ClientState => name !== 'app' && name !== 'console'

/** The search parameters of the list whose length a count is. */
const targetOf = (name: Counted) => ({
  kind: name === 'console' ? ('console' as const) : undefined,
  state: isState(name) ? [name] : undefined,
})

function isShown({ kind, state }: ClientsSearch, name: Counted): boolean {
  const target = targetOf(name)
  return kind === target.kind && (state ?? []).join() === (target.state ?? []).join()
}

/** The number of clients by state, each a link to the list of these clients. Consoles are counted separately. */
export function ClientCounts({ search }: { readonly search: ClientsSearch }) {
  const { data } = useQuery(clientSummaryQuery(search))
  return (
    <nav className={styles['counts']} aria-label={t('clients:count.label')}>
      {counted.map((name) => {
        const count = data?.[name === 'app' ? 'clients' : name === 'console' ? 'consoles' : name]
        return (
          <Hint key={name} label={t(`clients:count.${name}_help`)}>
            <Link
              to="/clients/{-$id}"
              params={{ id: undefined }}
              search={{ ...search, cursor: undefined, ...targetOf(name) }}
              className={styles['count'] ?? ''}
              data-warn={(isState(name) && (count ?? 0) > 0) || undefined}
              // By default a link is also active while the address has more parameters than its target.
              activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
              data-shown={isShown(search, name) || undefined}
            >
              {t(`clients:count.${name}`)} <b className="tabular">{formatNumber(count)}</b>
            </Link>
          </Hint>
        )
      })}
    </nav>
  )
}
