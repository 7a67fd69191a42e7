import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'
import { client } from '../../../lib/service/api.ts'
import { seenEventsQuery } from '../../../shared/alerts/alerts.queries.ts'

/** Returns which events of alerts the user has not seen in any browser. Until that is known, none is unread. */
export function useSeenEvents(isEnabled: boolean) {
  const queries = useQueryClient()
  const until = useQuery({ ...seenEventsQuery, enabled: isEnabled }).data
  const marking = useMutation({
    mutationFn: async (time: string) => (await client.alerts.markSeen({ body: { until: time } })).data.until,
    onMutate: (time) => queries.setQueryData(seenEventsQuery.queryKey, time),
    // After a failure the events are unread again.
    onError: () => queries.invalidateQueries({ queryKey: seenEventsQuery.queryKey }),
  })
  const isUnread = ({ created_at: at }: AlertEvent): boolean =>
    until !== undefined && (until === null || at > until)
  return {
    isUnread,
    unreadIn: (events: readonly AlertEvent[]): number => events.filter(isUnread).length,
    markSeen: ([newest]: readonly AlertEvent[]): void => {
      if (newest !== undefined && isUnread(newest)) marking.mutate(newest.created_at)
    },
  }
}
