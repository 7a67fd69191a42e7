import { useEffect, useRef } from 'react'
import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'

/** Shows a desktop notification for each event that is new since the console was opened. */
export function useDesktopNotifications(
  events: readonly AlertEvent[] | undefined,
  open: (path: string) => void,
): void {
  /** Ids of the events of the previous result; null before the first. */
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (events === undefined) return
    const before = known.current
    known.current = new Set(events.map(({ id }) => id))
    const added = before === null ? [] : events.filter(({ id, desktop }) => desktop && !before.has(id))
    if (added.length === 0) return
    void import('../../../shared/alerts/notifications.ts').then(({ notify }) => {
      for (const event of added.toReversed()) notify(event, open)
    })
  }, [events, open])
}
