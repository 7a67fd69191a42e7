import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatTotal } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import { ProductMark } from '../../ui/page/ProductMark.tsx'
import styles from './Navigation.module.css'
import { type NavItem, navigation } from './nav.ts'

type Props = {
  /** True in the drawer of a narrow window, where the labels are always visible. */
  readonly isDrawer?: boolean
  readonly onNavigate?: () => void
}

export function Navigation({ isDrawer = false, onNavigate }: Props) {
  const me = useMe()
  const groups = navigation
    .map((group) => ({
      ...group,
      items: group.items.filter(
        (item) => item.permission === undefined || me.permissions.includes(item.permission),
      ),
    }))
    .filter((group) => group.items.length > 0)
  return (
    <nav className={styles['nav']} data-drawer={isDrawer || undefined} aria-label={t('shell:nav.label')}>
      <Link to="/" className={styles['brand'] ?? ''} onClick={onNavigate} aria-label={t('shell:nav.home')}>
        <ProductMark size={20} />
        <span className={styles['word']}>{t('common:product')}</span>
      </Link>
      {groups.map((group) => (
        <div key={group.label} className={styles['group']}>
          <div className={styles['heading']}>{t(group.label)}</div>
          {group.items.map((item) => (
            <Item key={item.to} item={item} isDrawer={isDrawer} onNavigate={onNavigate} />
          ))}
        </div>
      ))}
    </nav>
  )
}

type ItemProps = {
  readonly item: NavItem
  readonly isDrawer: boolean
  readonly onNavigate: (() => void) | undefined
}

function Item({ item, isDrawer, onNavigate }: ItemProps) {
  const Icon = item.icon
  const label = t(item.label)
  return (
    <Tooltip label={label} position="right" disabled={isDrawer} classNames={{ tooltip: styles['tip'] ?? '' }}>
      <Link
        to={item.to}
        params={{ id: undefined }}
        search={({ workspace }: { workspace?: string | undefined }) => ({ workspace })}
        className={styles['item'] ?? ''}
        activeOptions={{ exact: item.to === '/', includeSearch: false }}
        onClick={onNavigate}
      >
        <Icon size={16} stroke={1.75} />
        <span className={styles['word']}>{label}</span>
        {item.to === '/clients/{-$id}' && <ClientCount />}
      </Link>
    </Tooltip>
  )
}

function ClientCount() {
  const { data } = useQuery({
    queryKey: ['client', 'count'],
    queryFn: ({ signal }) => client.clients.list({ query: { limit: 1 } }, { signal }),
  })
  return data === undefined ? null : (
    <span className={styles['count']} aria-hidden="true">
      {formatTotal(data.total)}
    </span>
  )
}
