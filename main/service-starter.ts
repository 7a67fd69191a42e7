import type { Surroundings } from './lib/surroundings.ts'
import { createKeyStore } from './service/key-store.ts'
import { startServiceProcess } from './service/service-process.ts'
import type { SupervisorOptions } from './service/supervisor.ts'
import type { ElectronParts } from './windows/electron-parts.ts'

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
