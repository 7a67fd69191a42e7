import { type Cluster, singleInstance } from '../../cluster/cluster.ts'
import type { PeerLink } from '../../db/peer-link.ts'
import type { Db } from '../../db/types.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'

/** Connects this instance to the others that use the database. The code is loaded only with PostgreSQL. */
export async function openCluster(
  { db, peers }: { readonly db: Db; readonly peers: PeerLink | null },
  { clock, newId, logger }: ComposeDeps,
  onClose: OnClose,
): Promise<Cluster> {
  const instanceId = newId()
  if (peers === null) return singleInstance(instanceId)
  const { createSharedCluster } = await import('../../cluster/shared-cluster.ts')
  const cluster = await createSharedCluster({ db, link: peers, instanceId, clock, logger })
  onClose(() => cluster.close())
  return cluster
}
