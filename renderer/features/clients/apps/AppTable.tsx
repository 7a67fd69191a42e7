import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ClientApp, type ClientState, clientStates } from '../../../../contract/live/clients.ts'
import { formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Time } from '../../../ui/display/Time.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { ClientEnvBadge } from '../ClientEnvBadge.tsx'
import { ClientIcon } from '../ClientIcon.tsx'
import styles from '../clients.module.css'
import { clientSummaryQuery } from '../clients.queries.ts'
import type { ClientsSearch } from '../clients.search.ts'

type Props = { readonly search: ClientsSearch }

/** The clients grouped by app. Each count is a link to the list of these clients. */
export function AppTable({ search }: Props) {
  const query = useQuery(clientSummaryQuery(search))
  if (query.data === undefined) {
    if (query.error !== null) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    return <Skeleton height={200} />
  }
  const { state } = search
  const apps = query.data.apps.filter((app) => state === undefined || state.some((name) => app[name] > 0))
  if (apps.length === 0) return <p className={styles['note']}>{t('clients:apps.none')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className={styles['apps']} aria-label={t('clients:apps.title')} tabIndex={0}>
      <table className={styles['versions']} aria-label={t('clients:apps.title')}>
        <thead>
          <tr>
            <th scope="col">{t('clients:apps.app')}</th>
            <th scope="col">{t('clients:apps.clients')}</th>
            <th scope="col">{t('clients:apps.environments')}</th>
            <th scope="col">{t('clients:apps.sdk')}</th>
            {clientStates.map((name) => (
              <th key={name} scope="col">
                {t(`clients:count.${name}`)}
              </th>
            ))}
            <th scope="col">{t('clients:apps.seen')}</th>
          </tr>
        </thead>
        <tbody>
          {apps.map((app) => (
            <AppRow key={app.app} app={app} search={search} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function AppRow({ app, search }: { readonly app: ClientApp; readonly search: ClientsSearch }) {
  const { app: name, clients, environments, client_types: types, sdk_versions: versions } = app
  /** The list of the app's clients, with the other filters of the page. */
  const target = { ...search, group: undefined, kind: undefined, cursor: undefined, app: [name] }
  return (
    <tr>
      <th scope="row">
        <span className={styles['keys']}>
          {types.map((type) => (
            <ClientIcon key={type} type={type} />
          ))}
          <Link
            to="/clients/{-$id}"
            params={{ id: undefined }}
            search={target}
            className={styles['prompt'] ?? ''}
          >
            <bdi>{name}</bdi>
          </Link>
        </span>
      </th>
      <td className="tabular">{formatNumber(clients)}</td>
      <td>
        <span className={styles['keys']}>
          {environments.map((environment) => (
            <ClientEnvBadge key={environment} namespace={environment} />
          ))}
        </span>
      </td>
      <td className="mono">{versions.length === 0 ? unknown : versions.join(', ')}</td>
      {clientStates.map((state) => (
        <td key={state} className="tabular">
          <StateCount app={app} state={state} target={target} />
        </td>
      ))}
      <td>
        <Time at={app.last_seen_at} />
      </td>
    </tr>
  )
}

type StateCountProps = {
  readonly app: ClientApp
  readonly state: ClientState
  readonly target: ClientsSearch
}

function StateCount({ app, state, target }: StateCountProps) {
  const count = app[state]
  if (count === 0) return <span className="dimmed">0</span>
  const text = formatNumber(count)
  return (
    <Link
      to="/clients/{-$id}"
      params={{ id: undefined }}
      search={{ ...target, state: [state] }}
      className={styles['warning'] ?? ''}
      aria-label={t('clients:apps.show_state', {
        count,
        app: app.app,
        state: t(`clients:count.${state}`),
      })}
    >
      {text}
    </Link>
  )
}
