import { afterAll, afterEach, beforeAll } from 'vitest'
import { type AlertServer, minute, startAlerts } from './alerts-support.ts'

export let alerts: AlertServer

export const stateOf = async (id: string) => (await alerts.alert(id)).state

/**
 * Starts a service before the tests of the calling file and closes it after them. Deletes the alerts after each
 * test.
 */
export function setUpAlerts(options: Parameters<typeof startAlerts>[0] = {}): void {
  beforeAll(async () => {
    alerts = await startAlerts(options)
    alerts.advance(60 * minute)
  })
  afterAll(() => alerts.close())
  afterEach(async () => {
    const { body } = await alerts.server.call('GET /api/alerts?limit=200')
    for (const { id } of body.data) await alerts.server.call(`DELETE /api/alerts/${id}`)
    // Runs of one test are outside the periods of the next one.
    alerts.advance(1500 * minute)
  })
}
