import type { ServerClient } from '../../server/index.ts'
import type { Clock } from './clock.ts'
import type { LogFile } from './log-file.ts'
import type { Paths } from './paths.ts'

/** Arguments, environment, folders, clock, log and built files of the shell's process. */
export type ShellContext = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly execPath: string
  readonly home: string
  /** The name of this computer in its network. */
  readonly computerName: string
  /** Loads the client for services on other computers, when it is needed for the first time. */
  readonly loadServerClient: () => Promise<ServerClient>
  readonly paths: Paths
  readonly log: LogFile
  readonly clock: Clock
  /** Files built next to the shell: the preload, the service's entry, and icons by name. */
  readonly files: {
    readonly preload: string
    readonly serversPreload: string
    readonly serviceHost: string
    readonly icon: (name: string) => string
  }
}
