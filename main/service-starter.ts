import type { ElectronParts } from './electron-parts.ts'
import { createKeyStore } from './key-store.ts'
import { startServiceProcess } from './service-process.ts'
import type { SupervisorOptions } from './supervisor.ts'
import type { Surroundings } from './surroundings.ts'

/** Returns the function that starts the service in its own process. */
export function serviceStarter(
  electron: ElectronParts,
  { env, platform, paths, log, clock, files }: Surroundings,
): SupervisorOptions['start'] {
  const keyStore = createKeyStore({
    safeStorage: electron.safeStorage,
    file: paths.encryptedKeys,
    platform,
    keyStoreSetting: env['KEY_STORE'],
    clock,
    say: log.say,
  })
  return async (how) => {
    // Before the start limit begins, because the system may prompt the user first.
    const handed = await keyStore.unlock()
    how.signal.throwIfAborted()
    return startServiceProcess({
      ...how,
      keys: { ...handed, keep: keyStore.keep },
      clock,
      fork: () => {
        const child = electron.fork(files.serviceHost, { ...env, DATA_DIR: paths.dataDir })
        log.follow(child.stdout)
        log.follow(child.stderr)
        return child
      },
    })
  }
}
