import { expect } from 'vitest'
import { server } from '../file-service.ts'

export { server, setUpService } from '../file-service.ts'

export const path = '/api/playground/run'
export const mock = (behaviour: object, params: object = {}) => ({
  content: 'Hi {{who}}',
  variables: { who: 'world' },
  provider: 'mock',
  params: { ...params, mock: behaviour },
})
export const run = (body: unknown, headers: Record<string, string> = {}) =>
  server.call(`POST ${path}`, { body, headers })
export const runs = async (query = ''): Promise<Record<string, unknown>[]> =>
  (await server.call(`GET /api/runs?limit=200&${query}`)).body.data
export async function addedBy(act: () => Promise<unknown>) {
  const before = new Set((await runs()).map(({ id }) => id))
  await act()
  return (await runs()).filter(({ id }) => !before.has(id))
}
/** Waits until this number of calls is in progress, as the metrics report. */
export const inProgress = (count: number) =>
  expect
    .poll(async () => (await server.call('GET /metrics', { token: null })).text, { timeout: 5000 })
    .toMatch(new RegExp(`^promptdeck_provider_calls ${count}$`, 'm'))
export const eventually = (query: string, count: number) =>
  expect.poll(async () => (await runs(query)).length, { timeout: 5000 }).toBe(count)
