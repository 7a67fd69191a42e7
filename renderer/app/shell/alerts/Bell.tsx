import { ActionIcon, Popover, Tooltip } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { lazyPart } from '../../../lib/page/lazyPart.tsx'
import { addressOf } from '../../../lib/service/base-path.ts'
import { hasFirstData } from '../../../lib/service/firstData.ts'
import { useMe } from '../../../lib/session/me.ts'
import { useStore } from '../../../lib/state/store.ts'
import { latestCount, latestEventsQuery } from '../../../shared/alerts/alerts.queries.ts'
import styles from './Bell.module.css'
import { useDesktopNotifications } from './useDesktopNotifications.ts'
import { useSeenEvents } from './useSeenEvents.ts'

/** The list of the latest events. */
export const LazyBellPanel = lazyPart(
  async () => (await import('./BellPanel.tsx')).BellPanel,
  () => (
    <p role="alert" className={styles['failed']}>
      {t('common:error.not_loaded')}
    </p>
  ),
)

/** Button in the header with the number of unread alert events. It opens the latest ones. */
export function Bell() {
  const me = useMe()
  const router = useRouter()
  const isAllowed = me.permissions.includes('alerts.read')
  const isDue = useStore(hasFirstData) && isAllowed
  const query = useQuery({ ...latestEventsQuery, enabled: isDue })
  const seen = useSeenEvents(isDue && me.id !== null)
  const [isOpen, setOpen] = useState(false)
  useDesktopNotifications(query.data, (path) => router.history.push(addressOf(path)))
  if (!isAllowed) return null
  const unread = seen.unreadIn(query.data ?? [])
  const label = unread === 0 ? t('shell:alerts.open') : t('shell:alerts.open_unread', { count: unread })
  const change = (next: boolean): void => {
    setOpen(next)
    // The marks of the unread events stay while the list is open.
    if (!next) seen.markSeen(query.data ?? [])
  }
  return (
    <Popover
      opened={isOpen}
      onChange={change}
      position="bottom-end"
      width={380}
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <ActionIcon
          className={styles['button'] ?? ''}
          aria-label={label}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          data-testid="bell"
          onClick={() => change(!isOpen)}
        >
          <Tooltip label={label} disabled={isOpen}>
            <IconBell size={16} />
          </Tooltip>
          {unread > 0 && (
            <span className={styles['count']} aria-hidden="true">
              {unread >= latestCount ? `${latestCount}+` : unread}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} role="dialog" aria-label={t('shell:alerts.open')}>
        <LazyBellPanel query={query} isUnread={seen.isUnread} onClose={() => change(false)} />
      </Popover.Dropdown>
    </Popover>
  )
}
