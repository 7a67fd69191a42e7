import { join } from 'node:path'
import type { Config } from '../config.ts'
import { startRunSchedule } from '../features/runs/retention/schedule.ts'
import { createRunsService, type RunsService } from '../features/runs/runs.service.ts'
import type { SettingsService } from '../features/settings/settings.service.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation.ts'
import type { LiveRelay } from './live.ts'

const onErrorOf =
  ({ logger }: ComposeDeps) =>
  (err: unknown) =>
    logger.error({ err }, 'maintenance of the run log failed')

/** Creates the run log. */
export function composeRuns(
  { dataDir }: Config,
  deps: ComposeDeps,
  parts: Pick<Foundation, 'db' | 'history' | 'bus' | 'deletion'> & {
    readonly settings: SettingsService
    readonly relay: LiveRelay
  },
  onClose: OnClose,
): RunsService {
  const { db, history, bus, deletion, settings, relay } = parts
  const runs = createRunsService({
    db,
    history,
    bus,
    deletion,
    settings: () => settings.current(),
    payloadFolder: join(dataDir, 'payloads'),
    clientIdOf: relay.clientIdOf,
    onError: onErrorOf(deps),
  })
  onClose(() => runs.close())
  return runs
}

/** Starts the maintenance of the run log, which also runs when the settings change. */
export function scheduleRuns(
  deps: ComposeDeps,
  { runs, settings }: { readonly runs: RunsService; readonly settings: SettingsService },
  onClose: OnClose,
): void {
  const schedule = startRunSchedule({ runs, onError: onErrorOf(deps) })
  onClose(() => schedule.close())
  settings.listen(() => schedule.runNow())
}
