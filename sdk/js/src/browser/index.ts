import { BaseClient } from '../client.ts'
import type { ClientOptions } from '../core/options.ts'
import { noDisk, type Platform } from '../core/platform.ts'
import type { Catalog, CatalogOf } from '../core/types.ts'

export * from '../public.ts'

const platform: Platform = {
  clientType: 'browser',
  env: {},
  userAgent: null,
  openDisk: () => noDisk,
  sockets: () => Promise.resolve((url: string) => new WebSocket(url)),
}

/**
 * A client for browsers. The type parameter `Prompts` lists the keys and the variables of each, for the
 * compiler.
 */
export class Client<Prompts extends CatalogOf<Prompts> = Catalog> extends BaseClient<Prompts> {
  /** @throws PromptdeckError `Invalid`; the message names what to change. */
  constructor(options: ClientOptions = {}) {
    super(options, platform)
  }
}
