import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

/** The paths of the shell's files, all in the data folder. */
export type Paths = {
  readonly dataDir: string
  /** Chromium's profile. There is one per data folder, and therefore one window per data folder. */
  readonly profile: string
  readonly settings: string
  readonly windowState: string
  /** The placement of the windows of other computers' consoles. */
  readonly remoteWindowState: string
  /** The servers on other computers that this app is paired with. */
  readonly servers: string
  readonly logs: string
  /** The encrypted key, next to the service's own keys; the system's key store decrypts it. */
  readonly encryptedKeys: string
}

/** Returns the paths. The data folder must be the same as that of the service (`server/config.ts`). */
export function pathsFor(env: Readonly<Record<string, string | undefined>>): Paths {
  const dataDir = resolve(env['DATA_DIR'] || envPaths('promptdeck', { suffix: '' }).data)
  const desktop = join(dataDir, 'desktop')
  return {
    dataDir,
    profile: join(desktop, 'profile'),
    settings: join(desktop, 'settings.json'),
    windowState: join(desktop, 'window.json'),
    remoteWindowState: join(desktop, 'remote-window.json'),
    servers: join(desktop, 'servers.json'),
    logs: join(dataDir, 'logs'),
    encryptedKeys: join(dataDir, 'keys', 'providers.wrapped'),
  }
}
