import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openDb } from '../db/open.ts'
import { createBus } from '../history/bus.ts'
import { createChainGuard } from '../history/chain-guard.ts'
import { loadChainKey } from '../history/chain-key.ts'
import { createHistory } from '../history/create-history.ts'
import type { Closing, ComposeDeps } from './deps.ts'

/** What everything else stands on: the store, what happened in it, and the chain that proves it. */
export async function composeFoundation(config: Config, deps: ComposeDeps, closing: Closing) {
  const { clock, newId, logger } = deps
  const { dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const store = await openDb({
    folder: join(dataDir, 'store'),
    maxStoreBytes: config.maxStoreBytes,
    logger,
    clock,
    onFatal: deps.onFatal,
    snapshotAtClose: true,
  })
  const { db } = store
  closing(() => db.close())

  const bus = createBus()
  const chainKey = await loadChainKey(dataDir)
  const { restoredFrom } = store
  const restored = restoredFrom && { file: restoredFrom.file, at: new Date(restoredFrom.at) }
  const history = await createHistory({ db, bus, dataDir, chainKey, restored, clock, newId, logger })
  closing(() => history.close())
  store.forgetRestore()
  const chain = createChainGuard({ db, dataDir, key: chainKey.key, clock, logger })
  closing(() => chain.close())
  return { store, db, bus, history, chain }
}
