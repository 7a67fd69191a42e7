import type { ShellContext } from './lib/shell-context.ts'
import { createKeyStore } from './service/key-store.ts'
import { startServiceProcess } from './service/service-process.ts'
import type { SupervisorOptions } from './service/supervisor.ts'
import type { ElectronParts } from './windows/electron-parts.ts'

/** Returns the function that starts the service in its own process. */
export function serviceStarter(
  electron: ElectronParts,
  { env, platform, paths, log, clock, files }: ShellContext,
): SupervisorOptions['start'] {
  const keyStore = createKeyStore({
    safeStorage: electron.safeStorage,
    file: paths.encryptedKeys,
    platform,
    keyStoreSetting: env['KEY_STORE'],
    clock,
    writeLog: log.write,
  })
  return async (options) => {
    // Unlock before the time limit of the start begins, because the system may prompt the user first.
    const content = await keyStore.unlock()
    options.signal.throwIfAborted()
    return startServiceProcess({
      ...options,
      keys: { ...content, store: keyStore.store },
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
