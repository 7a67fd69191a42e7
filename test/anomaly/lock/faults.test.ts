import { dirname } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { epochsIn, readClaim, runFolderOf } from '../../../server/db/engines/sqljs/lock/claims.ts'
import { acquireLock, type Lock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { StoreError } from '../../../server/db/errors.ts'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { newFolder } from '../../db/store.ts'

afterEach(() => setDiskHook(undefined))

type Fault = { readonly nth: number; readonly isPermanent: boolean; readonly code: string }

/** Runs an action while the Nth file call on the folder fails. Returns its error, and whether a call failed. */
async function withFault(
  folder: string,
  { nth, isPermanent, code }: Fault,
  action: () => Promise<unknown>,
): Promise<{ readonly error: unknown; readonly hasFailed: boolean }> {
  let count = 0
  let hasFailed = false
  setDiskHook({
    before({ call, path }) {
      if (call === 'close' || !(path === folder || path.startsWith(`${folder}/`))) return
      count += 1
      if (count !== nth && !(isPermanent && count > nth)) return
      hasFailed = true
      throw Object.assign(new Error(`${code}: ${call} ${path}`), { code })
    },
  })
  const error = await action().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  setDiskHook(undefined)
  return { error, hasFailed }
}

/** Takes and releases the lock while the Nth file call on the folder fails; returns whether a call failed. */
async function lockWithFault(folder: string, nth: number, isPermanent: boolean): Promise<boolean> {
  const { error, hasFailed } = await withFault(folder, { nth, isPermanent, code: 'EIO' }, async () => {
    const lock = await acquireLock(folder)
    await lock.release()
  })
  if (error === undefined) return hasFailed
  expect(error).toBeInstanceOf(Error)
  expect((error as Error).message).not.toContain('is in use by')
  return hasFailed
}

/** Creates a folder with a released claim, which the next owner removes. */
async function releasedFolder(): Promise<string> {
  const folder = newFolder()
  const lock = await acquireLock(folder)
  await lock.release()
  return folder
}

test.each([
  { mode: 'once', isPermanent: false },
  { mode: 'from then on', isPermanent: true },
])(
  'a file call of the lock that fails $mode leaves a folder that this process can lock again',
  async ({ isPermanent }) => {
    let failures = 0
    for (let nth = 1; ; nth += 1) {
      const folder = await releasedFolder()
      if (!(await lockWithFault(folder, nth, isPermanent))) break
      failures += 1
      const lock = await acquireLock(folder)
      expect(dirname(lock.fence.file)).toBe(runFolderOf(lock.fence.folder))
      await lock.release()
    }
    expect(failures).toBeGreaterThan(20)
  },
)

test('a file call of the lock that fails once leaves no valid claim for other processes', async () => {
  for (let nth = 1; ; nth += 1) {
    const folder = await releasedFolder()
    if (!(await lockWithFault(folder, nth, false))) break
    const run = runFolderOf(folder)
    const claims = epochsIn(run).map((epoch) => readClaim(run, epoch))
    expect(claims, `call ${nth}`).not.toEqual([])
    for (const claim of claims) expect(claim, `call ${nth}`).toMatchObject({ released: true })
  }
})

test.each([
  ['EIO', ''],
  ['EPERM', 'Give the user'],
  ['EMFILE', ''],
  ['ENOSPC', 'Free disk space'],
  ['EROFS', 'Make its disk writable'],
])(
  'a lock that cannot be taken because of %s is reported with folder, reason and remedy',
  async (code, remedy) => {
    let reported = 0
    for (let nth = 1; ; nth += 1) {
      const folder = await releasedFolder()
      let lock: Lock | undefined
      const { error, hasFailed } = await withFault(folder, { nth, isPermanent: false, code }, async () => {
        lock = await acquireLock(folder)
      })
      await lock?.release()
      if (!hasFailed) break
      if (error === undefined) continue
      reported += 1
      expect(error, `call ${nth}`).toBeInstanceOf(StoreError)
      expect((error as StoreError).message).toContain(code)
      expect((error as StoreError).message).toContain(remedy)
    }
    expect(reported).toBeGreaterThan(5)
  },
)
