import { createHmac } from 'node:crypto'
import { realpathSync } from '../../../../disk/fs.ts'
import { type Claim, epochsIn, isActive, readClaim, runFolderOf } from './claims.ts'
import { ask } from './peer.ts'
import { isPrivate } from './permissions.ts'

/** Derives a key from the secret of a claim, so that the secret itself only proves who answers. */
export const localKeyOf = (secret: string): Buffer =>
  createHmac('sha256', secret).update('promptdeck-local-key').digest()

/** The process that owns a folder. `url` is null until it listens. */
export type Owner = { readonly pid: number; readonly url: string | null; readonly localKey: Buffer }

/** Returns the process that owns `folder`. Null if there is none, or if it runs as another user. */
export async function findOwner(folder: string): Promise<Owner | null> {
  for (const { address, secret } of claimsOf(folder)) {
    const reply = await ask(address, secret)
    if (reply.kind === 'owner') return { pid: reply.pid, url: reply.url, localKey: localKeyOf(secret) }
  }
  return null
}

/** Returns the URL of the service that owns `folder`. Null if there is none or it does not listen yet. */
export const findRunning = async (folder: string): Promise<string | null> =>
  (await findOwner(folder))?.url ?? null

function claimsOf(folder: string): Claim[] {
  let run: string
  try {
    run = runFolderOf(realpathSync(folder))
  } catch {
    // The folder does not exist.
    return []
  }
  if (!isPrivate(run)) return []
  return epochsIn(run)
    .map((epoch) => readClaim(run, epoch))
    .filter((claim) => claim !== undefined && claim !== 'unreadable')
    .filter((claim) => isActive(run, claim))
}
