import { createHmac, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { loadKey } from '../auth/key-file.ts'
import type { Config } from '../config.ts'
import { openObjects } from '../features/runs/payloads/objects/open-objects.ts'
import { startRunSchedule } from '../features/runs/retention/schedule.ts'
import { createRunsService, type RunsService } from '../features/runs/runs.service.ts'
import type { SettingsService } from '../features/settings/settings.service.ts'
import type { TracesService } from '../features/traces/traces.service.ts'
import { createUsageCounter } from '../gateway/budgets/count-usage.ts'
import type { RunExporter } from '../telemetry/export/run-exporter.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'
import type { LiveRelay } from './live.ts'

const onErrorOf =
  ({ logger }: ComposeDeps) =>
  (err: unknown) =>
    logger.error({ err }, 'maintenance of the run log failed')

/** Returns the hash under which an end user is stored: 22 characters after `#`. */
const hashOfEndUser = (key: KeyObject, endUser: string): string =>
  `#${createHmac('sha256', key).update(endUser).digest().subarray(0, 16).toString('base64url')}`

/** Creates the run log. */
export async function composeRuns(
  { dataDir, database }: Config,
  deps: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'history' | 'bus' | 'cluster' | 'deletion' | 'store' | 'sharedBytes'> & {
    readonly settings: SettingsService
    readonly relay: LiveRelay
    readonly telemetryExport: Pick<RunExporter, 'add'> | null
  },
  onClose: OnClose,
): Promise<RunsService> {
  const { db, history, bus, cluster, deletion, sharedBytes, settings, relay, store, telemetryExport } = parts
  const endUserKey = await loadKey(
    join(dataDir, 'keys', 'end-users.key'),
    'end users get other hashes than before.',
  )
  const payloadsUrl = database?.payloadsUrl ?? null
  const runs = createRunsService({
    db,
    history,
    bus,
    deletion,
    // One instance removes and compacts rows for all. Others have the ids of names in memory.
    isResponsible: cluster.isLeader,
    keepsNames: cluster.isShared,
    sharedBytes,
    settings: () => settings.current(),
    payloadFolder: join(dataDir, 'payloads'),
    objects: payloadsUrl === null ? null : await openObjects(payloadsUrl),
    storeId: store.storeId,
    clientOf: relay.clientOf,
    hashEndUser: (endUser) => hashOfEndUser(endUserKey, endUser),
    addUsage: createUsageCounter(() => deletion.now()),
    onError: onErrorOf(deps),
    ...(database !== null && { partitionBy: database.partitionBy }),
    ...(telemetryExport !== null && { onStored: (stored) => telemetryExport.add(stored) }),
  })
  onClose(() => runs.close())
  return runs
}

/** Starts the maintenance of the run log, which also runs when the settings change. */
export function scheduleRuns(
  deps: ComposeDeps,
  parts: {
    readonly runs: RunsService
    readonly traces: Pick<TracesService, 'maintain'>
    readonly settings: SettingsService
  },
  onClose: OnClose,
): void {
  const { runs, traces, settings } = parts
  const maintain = async () => {
    await runs.maintain()
    await traces.maintain()
  }
  runs.start().catch(onErrorOf(deps))
  const schedule = startRunSchedule({ runs: { maintain }, onError: onErrorOf(deps) })
  onClose(() => schedule.close())
  settings.listen(() => schedule.runNow())
}
