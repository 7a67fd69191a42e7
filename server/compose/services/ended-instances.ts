import type { Cluster } from '../../cluster/cluster.ts'
import { systemEvery } from '../../lib/every.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'

/** Calls or executions in progress, in the database. */
export type Recovery = {
  /** Returns the ids of the instances that have some. */
  instances(): Promise<readonly string[]>
  /** Records those of instances that ended as interrupted, each once. Null: those of every process. */
  recover(instanceIds: readonly string[] | null): Promise<void>
}

const intervalMs = 5_000

/**
 * Ends what an instance left in progress when it was killed, after it has missed its heartbeats. One instance does so
 * for all.
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
      // An instance begins something after its first heartbeat only, so read the instances last.
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
