import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'
import { attemptsOf } from '../delivery/deliver.ts'
import type { DeliveryRow } from '../delivery/deliveries.store.ts'
import type { EventRow } from './events.store.ts'

/** Returns an event in the form of the contract. */
export function eventToWire(row: EventRow, delivery: DeliveryRow | undefined): AlertEvent {
  const { created_at, desktop, ...fields } = row
  return {
    ...fields,
    desktop: desktop === 1,
    delivery:
      delivery === undefined
        ? null
        : {
            status: delivery.status,
            attempts: attemptsOf(delivery),
            next_attempt_at:
              delivery.next_attempt_at === null ? null : new Date(delivery.next_attempt_at).toISOString(),
          },
    created_at: new Date(created_at).toISOString(),
  }
}
