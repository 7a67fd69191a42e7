import { type } from 'node:os'
import { BaseClient } from '../client.ts'
import { messageOf } from '../core/errors.ts'
import type { ClientOptions } from '../core/options.ts'
import type { Platform } from '../core/platform.ts'
import { noDisk } from '../core/platform.ts'
import type { Catalog, CatalogOf } from '../core/types.ts'
import { version } from '../core/version.ts'
import { openDisk } from './disk.ts'
import { readCa, storedServer } from './servers.ts'
import { createFetch, createSockets } from './transport.ts'

export * from '../public.ts'

const userAgent = `promptdeck-js/${version} (Node.js ${process.versions.node}; ${type()})`

const platform: Platform = {
  clientType: 'node-sdk',
  env: process.env,
  userAgent,
  readCa,
  storedServer,
  fetch: createFetch,
  openDisk(settings, onUnwritable) {
    if (settings.cacheDir === null) return noDisk
    try {
      return openDisk(settings, onUnwritable)
    } catch (error) {
      // The user may have no home folder. Report it later, because no listener can exist yet.
      queueMicrotask(() => onUnwritable(messageOf(error)))
      return noDisk
    }
  },
  onHide: () => () => undefined,
  sockets: (target) => createSockets(target, { 'user-agent': userAgent }),
}

/**
 * A client for Node. The type parameter `Prompts` lists the keys and the variables of each, for the compiler.
 */
export class Client<Prompts extends CatalogOf<Prompts> = Catalog> extends BaseClient<Prompts> {
  /** @throws PromptdeckError `Invalid`; the message names what to change. */
  constructor(options: ClientOptions = {}) {
    super(options, platform)
  }
}
