import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readClaim } from '../../../server/db/engines/sqljs/lock/claims.ts'
import { acquireLock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { findRunning } from '../../../server/db/engines/sqljs/lock/owner.ts'
import { newFolder } from '../../db/store.ts'

/** Fields of a claim whose owner has exited: no process has this id. */
const exitedOwner = { pid: 2 ** 22 + 1, process: null, released: false }

/** Creates a folder whose last owner exited without releasing its claim, and damages that claim. */
async function abandoned(change: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = newFolder()
  const lock = await acquireLock(folder)
  await lock.release()
  const run = join(folder, 'run')
  const claim = readClaim(run, 1)
  if (typeof claim !== 'object') throw new Error('there is no claim')
  writeFileSync(join(run, 'owner-1.json'), JSON.stringify({ ...claim, ...exitedOwner, ...change }))
  return folder
}

describe('the claim of an owner that was killed', () => {
  it.each([
    ['an address with a zero byte', { address: '/tmp/a\u0000b.sock' }],
    ['an address that is too long', { address: `/tmp/${'a'.repeat(5000)}.sock` }],
    ['a negative process id', { pid: -1 }],
    ['another epoch', { epoch: 2 ** 50 }],
  ])('does not prevent a start with %s', async (_description, change) => {
    const folder = await abandoned(change)
    expect(await findRunning(folder)).toBeNull()
    const lock = await acquireLock(folder)
    expect(readClaim(join(folder, 'run'), 2)).toMatchObject({ epoch: 2, released: false })
    await lock.release()
  })
})
