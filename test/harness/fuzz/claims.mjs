// @ts-check
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readClaim, runFolderOf } from '../../../dist/server/db/engines/sqljs/lock/claims.js'
import { findRunning } from '../../../dist/server/db/engines/sqljs/lock/owner.js'
import { startService } from '../lib/process.mjs'
import { mutateBytes, mutateJson } from './mutate.mjs'

const kinds = /** @type {const} */ ({
  epoch: 'number',
  instance: 'number',
  place: 'string',
  pid: 'number',
  address: 'string',
  secret: 'string',
  released: 'boolean',
})
/** @param {Record<string, unknown>} claim */
const isValid = (claim) =>
  Object.entries(kinds).every(([name, kind]) => typeof claim[name] === kind) &&
  [claim['epoch'], claim['instance'], claim['pid']].every(Number.isSafeInteger) &&
  claim['epoch'] === 1 &&
  Number(claim['pid']) >= 1

/**
 * Mutates the claim of a killed service, so that no process replies at the claim's address.
 * @param {string} folder @returns {Promise<import('./targets.mjs').Target>}
 */
export async function createClaimTarget(folder) {
  const data = join(folder, 'claimed')
  mkdirSync(data, { mode: 0o700 })
  const service = await startService({ env: { DATA_DIR: data, LOG_LEVEL: 'error' } })
  if (service.url === null) throw new Error(`the service did not start: ${service.output.stderr}`)
  const store = join(data, 'store')
  const run = runFolderOf(store)
  const name = readdirSync(run).find((entry) => entry.startsWith('owner-')) ?? ''
  const file = join(run, name)
  const bytes = readFileSync(file)
  const claim = readClaim(run, 1)
  const answered = await findRunning(store)
  await service.stop('SIGKILL')
  // The harness would prove nothing if the original claim were rejected.
  if (typeof claim !== 'object' || !isValid(claim) || answered !== service.url)
    throw new Error(`the claim of a running service cannot be read: ${bytes}`)

  return async (random) => {
    const isJson = random() < 0.5
    writeFileSync(
      file,
      isJson ? JSON.stringify(mutateJson(random, claim), null, 2) : mutateBytes(random, bytes),
    )
    const found = readClaim(run, 1)
    if (typeof found === 'object' && !isValid(found)) return `accepted ${readFileSync(file, 'latin1')}`
    // A look-up opens sockets, so only a sample of the inputs is looked up.
    if (random() >= 0.05) return null
    const url = await findRunning(store)
    return url === null ? null : `${url} counts as running for ${readFileSync(file, 'latin1')}`
  }
}
