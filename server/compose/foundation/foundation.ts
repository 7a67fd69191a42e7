import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { ensureFolder } from '../../db/engines/sqljs/open-folder.ts'
import { openChainKeys } from '../../history/chain/chain-key.ts'
import { createHistory } from '../../history/create-history.ts'
import { createChainVerifier } from '../../history/verify/chain-verifier.ts'
import { createSharedResults, defaultSharedBytes, type Share } from '../../lib/async/shared-results.ts'
import { createDeletionClock } from '../../retention/deletion-clock.ts'
import { openKeyRing } from '../../secrets/key-ring.ts'
import { createVault } from '../../secrets/vault.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'
import { openCluster } from './cluster.ts'
import { prepareKeys } from './keys.ts'
import { openStore } from './store.ts'

export type Foundation = Awaited<ReturnType<typeof composeFoundation>>

/**
 * Creates what every other part needs: the store, the history with its audit chain, the deletion clock and
 * the encryption of secrets.
 */
export async function composeFoundation(config: Config, deps: ComposeDeps, onClose: OnClose) {
  const { clock, newId, logger } = deps
  const { dataDir } = config
  ensureFolder(dataDir)
  const store = await openStore(config, deps)
  const { db } = store
  onClose(() => db.close())
  const { isNewInstance } = await prepareKeys(config, db, store.storeId, deps.osKeyStore)

  const cluster = await openCluster(store, deps, onClose)
  const { bus } = cluster
  /** Zero with other instances: shared results stay valid until this process writes, and the others write too. */
  const sharedBytes = cluster.isShared ? 0 : defaultSharedBytes
  const share: Share = <T>() => createSharedResults<T>(() => db.status().committed, sharedBytes)
  const chainKeys = await openChainKeys(dataDir)
  const { restoredFrom } = store
  const restored = restoredFrom && { ...restoredFrom, at: new Date(restoredFrom.at) }
  const onRestoreStored = () => store.clearRestore()
  const history = await createHistory({
    db,
    bus,
    isShared: cluster.isShared,
    dataDir,
    chainKeys,
    restored,
    isNewInstance,
    onRestoreStored,
    clock,
    newId,
    logger,
  })
  onClose(() => history.close())
  const chain = createChainVerifier({ db, head: history.head, keys: chainKeys, clock, logger })
  onClose(() => chain.close())
  const deletion = await createDeletionClock({
    db,
    history,
    clock,
    newId,
    logger,
    isLeader: cluster.isLeader,
  })
  onClose(() => deletion.close())
  /** The deletion clock of work that one instance does for all: null on the others. */
  const ownDeletion = { now: () => (cluster.isLeader() ? deletion.now() : null) }
  const ring = await openKeyRing({ folder: join(dataDir, 'keys'), osStore: deps.osKeyStore, logger })
  onClose(() => ring.settled())
  const vault = createVault(ring)
  return { store, db, share, sharedBytes, cluster, bus, history, chain, deletion, ownDeletion, vault }
}
