import type { Cluster } from '../../cluster/cluster.ts'
import { systemEvery } from '../../lib/every.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'

/** Finds and ends unfinished work in the database: calls or executions. */
export type Recovery = {
  /** Returns the ids of the instances that have unfinished work. */
  instances(): Promise<readonly string[]>
  /** Records the unfinished work of these instances as interrupted, once. Null: of all instances. */
  recover(instanceIds: readonly string[] | null): Promise<void>
}

const intervalMs = 5_000

/**
 * Ends the unfinished work of instances that were killed, after they have missed their heartbeats. Only the
 * leader does so, for all instances.
 */
export function recoverEndedInstances(
  cluster: Pick<Cluster, 'isShared' | 'isLeader' | 'runningInstances'>,
  recoveries: readonly Recovery[],
  { logger }: Pick<ComposeDeps, 'logger'>,
  onClose: OnClose,
): void {
  if (!cluster.isShared) return
  const recoverOnce = async (): Promise<void> => {
    for (const recovery of recoveries) {
      // An instance begins work only after its first heartbeat, so read the running instances last.
      const found = await recovery.instances()
      if (found.length === 0) continue
      const running = await cluster.runningInstances()
      const ended = found.filter((id) => !running.has(id))
      if (ended.length > 0) await recovery.recover(ended)
    }
  }
  let running: Promise<void> | null = null
  const stop = systemEvery(intervalMs, () => {
    if (!cluster.isLeader()) return
    running ??= recoverOnce()
      .catch((err: unknown) => logger.error({ err }, 'calls of an instance that ended could not be recorded'))
      .finally(() => {
        running = null
      })
  })
  onClose(async () => {
    stop()
    await running
  })
}
