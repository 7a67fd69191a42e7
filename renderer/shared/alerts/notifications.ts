import type { AlertEvent } from '../../../contract/alerts/alert-events.ts'
import { t } from '../../lib/i18n.ts'
import { eventText } from './wording.ts'

export type NotificationState = NotificationPermission | 'unsupported'

/** Returns whether this browser, or the desktop app, shows notifications of the console. */
export const notificationState = (): NotificationState =>
  'Notification' in window ? Notification.permission : 'unsupported'

/** Asks the user for permission if that was not decided. Call it from a click. */
export async function askForNotifications(): Promise<NotificationState> {
  if (notificationState() !== 'default') return notificationState()
  return Notification.requestPermission()
}

/** Shows an event as a desktop notification. Several tabs show it once, because of its tag. */
export function notify(event: AlertEvent, open: (path: string) => void): void {
  if (notificationState() !== 'granted') return
  const title = event.type === 'firing' ? 'alerts:bell.fired_title' : 'alerts:bell.resolved_title'
  const notification = new Notification(t(title, { name: event.alert_name }), {
    body: eventText(event),
    tag: event.id,
  })
  notification.addEventListener('click', () => {
    window.focus()
    open(event.link)
    notification.close()
  })
}
