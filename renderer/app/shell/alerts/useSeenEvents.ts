import { useMemo } from 'react'
import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'
import { createPersistedStore, useStore } from '../../../lib/state/store.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * Remembers in this browser up to which time a user has seen the events of alerts. User ids are unique, so two
 * services never share a value.
 */
export function useSeenEvents(userId: string) {
  const store = useMemo(() => createPersistedStore(`alerts_seen.${userId}`, '', isText), [userId])
  const seenUntil = useStore(store)
  const isUnread = ({ created_at: at }: AlertEvent): boolean => at > seenUntil
  return {
    isUnread,
    unreadIn: (events: readonly AlertEvent[]): number => events.filter(isUnread).length,
    markSeen: ([newest]: readonly AlertEvent[]): void => {
      if (newest !== undefined && isUnread(newest)) store.set(newest.created_at)
    },
  }
}
