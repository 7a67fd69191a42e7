import { expect, it } from 'vitest'
import { createHealthLog, type Health } from '../../../server/features/providers/checks/health.ts'

it('an outcome of earlier settings that is read while they change does not count', async () => {
  let now = 1_000
  const outcome: Health = { by: 'check', latencyMs: null, error: 'It failed.', at: now, failingSince: now }
  let reply = (_results: ReadonlyMap<string, Health>) => {}
  const log = createHealthLog({
    clock: { now: () => new Date(now) },
    onChange: () => {},
    onError: () => {},
    shared: {
      put: async () => {},
      remove: async () => {},
      all: () =>
        new Promise((resolve) => {
          reply = resolve
        }),
    },
  })
  const read = log.refresh()
  now += 1
  log.clearOwn('openai')
  reply(new Map([['openai', outcome]]))
  await read
  expect(log.of('openai')).toBeNull()

  now += 1
  const next = log.refresh()
  reply(new Map([['openai', { ...outcome, at: now }]]))
  await next
  expect(log.of('openai')).toMatchObject({ at: now })
})
