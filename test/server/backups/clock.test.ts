import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { surplusOf } from '../../../server/features/backups/backups.service.ts'
import { createBackupStore } from '../../../server/features/backups/backups.store.ts'
import { isDue, startDailyBackups } from '../../../server/features/backups/daily.ts'
import { manualClock, quiet } from '../audit/audit-support.ts'

const at = (text: string) => new Date(text)
const today = at('2026-11-21T09:00:00.000Z')

describe('the daily backup', () => {
  it.each([
    ['there is no backup', null, true],
    ['the newest is an hour old', '2026-11-21T08:00:00.000Z', false],
    ['the newest is a day old', '2026-11-20T09:00:00.000Z', true],
    ['the newest is from next year, because the clock was ahead', '2027-11-21T09:00:00.000Z', true],
    ['the newest is two hours in the future', '2026-11-21T11:00:00.000Z', true],
    [
      'the newest is a minute in the future, because the clock was corrected',
      '2026-11-21T09:01:00.000Z',
      false,
    ],
  ])('when %s', (_, newest, expected) => {
    expect(isDue(today, newest === null ? null : at(newest))).toBe(expected)
  })

  it('is created once, even if the clock was ahead', async () => {
    const createdAt: Date[] = [at('2030-01-01T00:00:00.000Z')]
    let checks = 0
    let resolve = () => {}
    const fourChecks = new Promise<void>((done) => {
      resolve = done
    })
    const daily = startDailyBackups({
      backups: {
        newestAt: async () => {
          checks += 1
          if (checks === 4) resolve()
          return createdAt.at(-1) ?? null
        },
        create: async ({ now }) => {
          createdAt.push(now)
          return { id: 'b', created_at: now.toISOString(), size_bytes: 1, verified: true }
        },
        verify: async () => [],
      },
      clock: manualClock(today.toISOString()),
      newId: () => 'id',
      logger: quiet,
      intervalMs: 1,
    })
    await fourChecks
    await daily.close()
    expect(createdAt.slice(1)).toEqual([today])
  })
})

describe('the order of backups', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptdeck-backup-store-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const add = async (store: ReturnType<typeof createBackupStore>, time: Date) => {
    const id = store.newId(time)
    await writeFile(store.unsealedOf(id), `content of ${id}`)
    await store.seal(id, time)
    return id
  }

  it('is that of their creation, regardless of the clock', async () => {
    const store = createBackupStore(folder)
    const ids: string[] = []
    for (const time of ['2026-11-20', '2031-01-01', '2031-01-02', '2026-11-21', '2026-11-22']) {
      ids.push(await add(store, at(`${time}T00:00:00.000Z`)))
    }
    const files = await store.list()
    expect(files.map((file) => file.id)).toEqual(ids.toReversed())
    // Backups with dates in the future are removed like others.
    expect(surplusOf(files, 2).map((file) => file.id)).toEqual([ids[2], ids[1], ids[0]])
  })

  it('places unnumbered backups of older versions first, by their time', async () => {
    const store = createBackupStore(folder)
    const ids = [
      await add(store, at('2026-11-19T00:00:00.000Z')),
      await add(store, at('2026-11-20T00:00:00.000Z')),
    ]
    for (const id of ids) {
      const seal = join(folder, `${id}.json`)
      const { sequence: _, ...rest } = JSON.parse(await readFile(seal, 'utf8'))
      await writeFile(seal, JSON.stringify(rest))
    }
    const newest = await add(store, at('2026-11-18T00:00:00.000Z'))
    expect((await store.list()).map((file) => file.id)).toEqual([newest, ids[1], ids[0]])
  })

  it('is independent of a damaged seal: such a backup is unverified and displaces none', async () => {
    const store = createBackupStore(folder)
    const good = await add(store, today)
    const bad = await add(store, today)
    await writeFile(join(folder, `${bad}.json`), '{"created_at": 1')
    const files = await store.list()
    expect(files.find((file) => file.id === bad)?.verified).toBe(false)
    expect(surplusOf(files, 1).map((file) => file.id)).not.toContain(good)
  })

  it('leaves no temporary file of a seal', async () => {
    const store = createBackupStore(folder)
    const id = await add(store, today)
    expect((await readdir(folder)).toSorted()).toEqual([`${id}.json`, `${id}.sqlite`])
  })
})
