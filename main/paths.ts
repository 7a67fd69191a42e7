import { join, resolve } from 'node:path'
import envPaths from 'env-paths'

/** Where the shell keeps what is its own: all of it in the data folder, beside the service's. */
export type Paths = {
  readonly dataDir: string
  /** Chromium's profile. One per data folder, so there is one window per data folder too. */
  readonly profile: string
  readonly settings: string
  readonly windowState: string
  readonly logs: string
  /** Beside the service's own keys, and no key itself: the system's key store opens it. */
  readonly wrappedKeys: string
}

/** The data folder is the service's own choice (`server/config.ts`); the two must agree to find each other. */
export function pathsFor(env: Readonly<Record<string, string | undefined>>): Paths {
  const dataDir = resolve(env['DATA_DIR'] || envPaths('promptdeck', { suffix: '' }).data)
  const desktop = join(dataDir, 'desktop')
  return {
    dataDir,
    profile: join(desktop, 'profile'),
    settings: join(desktop, 'settings.json'),
    windowState: join(desktop, 'window.json'),
    logs: join(dataDir, 'logs'),
    wrappedKeys: join(dataDir, 'keys', 'providers.wrapped'),
  }
}
