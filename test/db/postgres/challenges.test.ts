import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSharedChallenges } from '../../../server/cluster/shared-challenges.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import { openKeyRing } from '../../../server/secrets/key-ring.ts'
import { createVault } from '../../../server/secrets/vault.ts'
import { manualClock, newDataDir, quiet, removeDataDir } from '../../server/audit/audit-support.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()
let folder: string
beforeAll(async () => {
  folder = await newDataDir()
})
afterAll(() => removeDataDir(folder))

type Value = { readonly secret: string; readonly failures: number }

it('keeps challenges of all instances: encrypted, limited, each for one use and a time', async () => {
  const { db, url } = await server.open({ migrations })
  const vault = createVault(await openKeyRing({ folder, osStore: null, logger: quiet }))
  const clock = manualClock()
  const instance = () =>
    createSharedChallenges<Value>({ db, vault, clock, scope: 'setup', lifetimeMs: 60_000 })
  const [a, b] = [instance(), instance()]
  const value = { secret: 'hunter2', failures: 0 }

  const { challenge, expiresAt } = await a.issue('ann', value)
  expect(expiresAt.getTime() - clock.now().getTime()).toBe(60_000)
  expect(await b.find(challenge)).toEqual(value)
  const stored = await server.run<{ row: string }>(url, 'SELECT v::text AS row FROM shared_values v')
  expect(stored.map(({ row }) => row).join()).not.toMatch(/hunter2|ann/)
  expect(JSON.stringify(stored)).not.toContain(challenge)

  await b.update(challenge, (before) => ({ ...before, failures: before.failures + 1 }))
  expect(await a.find(challenge)).toEqual({ ...value, failures: 1 })
  const taken = await Promise.all([a.take(challenge), b.take(challenge)])
  expect(taken.filter((each) => each !== null)).toEqual([{ ...value, failures: 1 }])

  const inTransaction = (await a.issue('ann', value)).challenge
  const uses = [a, b].map((each) => db.write((tx) => each.takeIn(tx, inTransaction)))
  expect((await Promise.all(uses)).toSorted()).toEqual([false, true])

  const ended = (await a.issue('ann', value)).challenge
  await b.update(ended, () => null)
  expect(await a.find(ended)).toBeNull()

  // The ninth challenge of an owner ends the first.
  const issued: string[] = []
  for (let count = 0; count < 9; count += 1) issued.push((await a.issue('edda', value)).challenge)
  const found = await Promise.all(issued.map((each) => b.find(each)))
  expect(found.map((each) => each !== null)).toEqual([false, ...new Array<boolean>(8).fill(true)])

  clock.advance(60_000)
  expect(await b.find(issued[8] ?? '')).toBeNull()
  await a.issue('ann', value)
  expect(await server.run(url, 'SELECT name FROM shared_values')).toHaveLength(2)
})
