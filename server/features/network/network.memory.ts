import type { LanConfig } from '../../config-lan.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { SharingChoice } from '../../lan/sharing-state.ts'
import type { Context } from '../../lib/context.ts'
import { putNetwork, readNetwork, type StoredNetwork } from './network.store.ts'

/** The stored choice in memory. It changes after commit. */
export type NetworkMemory = {
  stored(): StoredNetwork
  replace(stored: StoredNetwork): void
  /** Returns the choice; the environment takes precedence. */
  choice(): SharingChoice
}

/** The default TCP port of the LAN listener. */
const defaultPort = 4743

export async function createNetworkMemory(db: Db, config: LanConfig): Promise<NetworkMemory> {
  let stored = await readNetwork(db.read)
  return {
    stored: () => stored,
    replace(next) {
      stored = next
    },
    choice: () => ({
      isEnabled: config.isOn ?? stored.enabled,
      interfaces: config.interfaces ?? stored.interfaces,
      port: config.port ?? stored.port ?? defaultPort,
      name: config.name ?? stored.name,
      isDiscoverable: config.isDiscoverable ?? stored.discoverable,
    }),
  }
}

/** Stores the choice, which takes effect after commit. */
export async function storeNetwork(
  memory: NetworkMemory,
  tx: Tx,
  ctx: Context,
  stored: StoredNetwork,
): Promise<void> {
  await putNetwork(tx.q, stored, ctx.now, ctx.actor.name)
  tx.afterCommit(() => memory.replace(stored))
}

/** Stores the fingerprint of the authority without an audit entry: the service calls this by itself. */
export async function rememberAuthority(
  { db, memory }: { readonly db: Db; readonly memory: NetworkMemory },
  ctx: Context,
  authority: string,
): Promise<void> {
  await db.write(async (tx) => storeNetwork(memory, tx, ctx, { ...(await readNetwork(tx.q)), authority }), {
    evenWhenFull: true,
  })
}
