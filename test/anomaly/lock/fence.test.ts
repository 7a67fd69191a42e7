import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { encodeOperations } from '../../../server/db/engines/sqljs/format/operations.ts'
import {
  encodeMark,
  FRAME_BYTES,
  RECORDS_AT,
  readSegment,
  recordsOf,
  writeFrame,
} from '../../../server/db/engines/sqljs/format/segment.ts'
import { acquireLock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { findRunning } from '../../../server/db/engines/sqljs/lock/owner.ts'
import { copyAfterCrash, lastRecords } from '../../db/crash.ts'
import { add, filesOf, ids, items, newFolder, openStore, type TestStore } from '../../db/store.ts'
import { type Child, start } from '../child.ts'

const stopped = /^Stopped: Another process has taken over the data folder .*\n$/

const acknowledged = (child: Child): number[] => child.lines.filter((line) => line !== 'open').map(Number)

/** Opens the children's store and returns which child wrote each number. */
async function writers(folder: string): Promise<Map<number, string>> {
  const statements = ['CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT) STRICT']
  const { db } = await openStore({ folder, migrations: [{ version: 1, name: 'child', statements }] })
  const { rows } = await sql<{ id: number; name: string }>`SELECT id, name FROM items`.execute(db.read)
  await db.close()
  return new Map(rows.map(({ id, name }) => [id, name[0] ?? '']))
}

test('an owner that was suspended during writes and replaced loses no acknowledged data', {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < 2; round += 1) {
    const folder = newFolder()
    const first = start(folder, 'write', { env: { CHILD_TAG: 'a' } })
    await first.printed(40 + round * 74)
    first.signal('SIGSTOP')
    rmSync(join(folder, 'run'), { recursive: true })
    const second = start(folder, 'write', { env: { CHILD_TAG: 'b' } })
    await second.printed(60)
    first.signal('SIGCONT')
    expect(await first.ended).toEqual({ code: 1, error: expect.stringMatching(stopped) })
    await second.printed(second.lines.length + 60)
    await second.kill()
    const found = await writers(folder)
    for (const id of acknowledged(first)) expect([id, found.get(id)]).toEqual([id, 'a'])
    for (const id of acknowledged(second)) expect([id, found.get(id)]).toEqual([id, 'b'])
    expect(acknowledged(first).length).toBeGreaterThan(30)
  }
})

test('of two processes that start at the same instant, exactly one opens the folder, each time', {
  timeout: 120_000,
}, async () => {
  const folder = newFolder()
  for (let round = 0; round < 8; round += 1) {
    const pair = [start(folder, 'hold'), start(folder, 'hold')]
    await Promise.allSettled(pair.map((child) => child.printed(1)))
    const opened = pair.filter(({ lines }) => lines[0] === 'open')
    expect(opened).toHaveLength(1)
    for (const child of pair) {
      if (opened.includes(child)) continue
      expect(await child.ended).toEqual({
        code: 1,
        error: expect.stringMatching(/ is in use by process \d+(?:: |, which does not answer)/),
      })
    }
    // Alternates between a release and a kill.
    if (round % 2 === 0) {
      opened[0]?.finish()
      expect(await opened[0]?.ended).toEqual({ code: 0, error: '' })
    } else await opened[0]?.kill()
  }
})

test('a store whose lock was removed refuses writes and changes no file', async () => {
  const failures: Error[] = []
  const store = await openStore({ onFatal: (error) => void failures.push(error) })
  await add(store.db, { id: 1, name: 'kept' })
  rmSync(join(store.folder, 'run'), { recursive: true })
  const next = await openStore({ folder: store.folder })
  await add(next.db, { id: 2, name: 'next' })
  // The thread of the new owner updates its mark when it is idle.
  await expect.poll(() => lastRecords(store.folder).marked === lastRecords(store.folder).end).toBe(true)
  const before = contentsOf(store)
  await expect(add(store.db, { id: 3, name: 'late' })).rejects.toThrow(
    /taken over the data folder|The store is closed/,
  )
  await expect(store.db.checkpoint()).rejects.toThrow()
  await store.db.close()
  expect(failures).toHaveLength(1)
  expect(contentsOf(store)).toEqual(before)
  await add(next.db, { id: 4, name: 'goes on' })
  expect(await ids(next.db.read)).toEqual([1, 2, 4])
})

test('an idle owner notices within seconds that it was replaced', async () => {
  let notice: (error: Error) => void
  const noticed = new Promise<Error>((resolve) => {
    notice = resolve
  })
  const store = await openStore({ onFatal: (error) => notice(error) })
  rmSync(join(store.folder, 'run'), { recursive: true })
  expect((await noticed).message).toContain('taken over the data folder')
})

/** Returns names and contents of the store's files, without the lock. */
const contentsOf = ({ folder }: TestStore) =>
  filesOf(folder, /^(?:snapshot|journal)/).map((file) => [file, readFileSync(file).toString('base64')])

test('a late record of a replaced owner is ignored at the next start', async () => {
  const first = await openStore()
  await add(first.db, { id: 1, name: 'first' })
  const folder = copyAfterCrash(first.folder)
  const [file = ''] = filesOf(folder, /^journal/)
  const second = await openStore({ folder })
  await add(second.db, { id: 2, name: 'second' })
  await second.db.settled()
  appendLateRecord(file)
  const third = await openStore({ folder: copyAfterCrash(folder) })
  expect((await items(third.db.read)).map(({ id, name }) => [id, name])).toEqual([
    [1, 'first'],
    [2, 'second'],
  ])
})

/**
 * Acts like an owner that was suspended between its check and its write: appends a record and its old mark.
 */
function appendLateRecord(file: string): void {
  const segment = readSegment(file)
  if (segment?.mark === undefined) throw new Error('the segment was not used')
  const { header, mark } = segment
  const last = [...recordsOf(segment)].at(-1)
  const offset = last?.end ?? RECORDS_AT
  const operation = { sql: 'INSERT INTO items (id, name) VALUES (?, ?)', parameters: [2, 'late'] }
  const { record } = encodeOperations([operation], new Map(), FRAME_BYTES)
  writeFrame(record, (last?.transaction ?? mark.start) + 1, header.salt)
  const { bytes, at } = encodeMark({ ...mark, count: mark.count + 2, isClosed: false }, header.salt)
  const handle = openSync(file, 'r+')
  writeSync(handle, record, 0, record.length, offset)
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}

const earlierScript = fileURLToPath(new URL('./earlier.mjs', import.meta.url))

function startEarlierVersion(folder: string, ...args: string[]) {
  const child = spawn(process.execPath, [earlierScript, folder, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text))
  return { child, line, ended: once(child, 'exit') }
}

test('a running version 0.1 is detected, and its URL is not returned', async () => {
  const folder = newFolder()
  const old = startEarlierVersion(folder, 'hold', 'http://127.0.0.1:9')
  expect(await old.line).toBe('open')
  try {
    await expect(acquireLock(folder)).rejects.toMatchObject({
      code: 'locked',
      url: null,
      message: `${folder} is in use by process ${old.child.pid}, an earlier version of Promptdeck. Stop it, then start again.`,
    })
    expect(await findRunning(folder)).toBeNull()
  } finally {
    old.child.kill('SIGKILL')
    await old.ended
  }
  // Leftovers of a killed version 0.1 do not lock.
  await (await acquireLock(folder)).release()
})

test('a starting version 0.1 detects this version', async () => {
  const folder = newFolder()
  const lock = await acquireLock(folder)
  lock.announce('http://127.0.0.1:4780')
  const old = startEarlierVersion(folder, 'start')
  expect(JSON.parse(await old.line)).toEqual({ pid: process.pid, url: 'http://127.0.0.1:4780' })
  await old.ended
  await lock.release()
  const later = startEarlierVersion(folder, 'start')
  expect(await later.line).toBe('nobody')
  await later.ended
})
