import { Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { formatTotal } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { hasFirstData } from '../../../lib/service/firstData.ts'
import { useMe } from '../../../lib/session/me.ts'
import { useStore } from '../../../lib/state/store.ts'
import { ProductMark } from '../../../ui/page/ProductMark.tsx'
import { isInNavigation } from '../../resources.ts'
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
    .map(({ name, items }) => ({ name, items: items.filter((item) => isInNavigation(me, item)) }))
    .filter((group) => group.items.length > 0)
  return (
    <nav className={styles['nav']} data-drawer={isDrawer || undefined} aria-label={t('shell:nav.label')}>
      <Link to="/" className={styles['brand'] ?? ''} onClick={onNavigate} aria-label={t('shell:nav.home')}>
        <ProductMark size={20} />
        <span className={styles['text']}>{t('common:product')}</span>
      </Link>
      {groups.map((group) => (
        <div key={group.name} className={styles['group']}>
          <div className={styles['heading']}>{t(`shell:nav.${group.name}`)}</div>
          {group.items.map((item) => (
            <Item key={item.title} item={item} isDrawer={isDrawer} onNavigate={onNavigate} />
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
  const { title, icon: Icon, navigation: entry } = item
  const [{ path }] = item.pages
  const label = t(title)
  const isCurrent = useLocation({ select: ({ pathname }) => isWithin(item, pathname) })
  return (
    <Tooltip
      label={label}
      position="right"
      disabled={isDrawer}
      classNames={{ tooltip: styles['tooltip'] ?? '' }}
    >
      <Link
        to={path}
        params={{ id: undefined }}
        search={({ workspace }: { workspace?: string | undefined }) => ({ workspace })}
        className={styles['item'] ?? ''}
        activeOptions={{ exact: path === '/', includeSearch: false }}
        {...(isCurrent && { 'data-status': 'active', 'aria-current': 'page' })}
        onClick={onNavigate}
      >
        <Icon size={16} stroke={1.75} />
        <span className={styles['text']}>{label}</span>
        {entry.count !== undefined && <Count name={item.items?.kind ?? path} fetchCount={entry.count} />}
      </Link>
    </Tooltip>
  )
}

/** True if the path is of a page of the item, which may begin differently than the link. */
const isWithin = ({ pages, navigation: { includes = [] } }: NavItem, pathname: string): boolean =>
  [...pages.map(({ path }) => path.replace(/\/[{$].*/, '')), ...includes].some((start) =>
    `${pathname}/`.startsWith(`${start}/`),
  )

type CountProps = {
  /** Live entity whose changes refresh the number. */
  readonly name: string
  readonly fetchCount: (signal: AbortSignal) => Promise<number>
}

function Count({ name, fetchCount }: CountProps) {
  const { data } = useQuery({
    queryKey: [name, 'count'],
    queryFn: ({ signal }) => fetchCount(signal),
    enabled: useStore(hasFirstData),
  })
  return data === undefined ? null : (
    <span className={styles['count']} aria-hidden="true">
      {formatTotal(data)}
    </span>
  )
}
