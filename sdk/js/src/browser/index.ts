import { BaseClient } from '../client.ts'
import { invalid } from '../core/errors.ts'
import type { ClientOptions } from '../core/options.ts'
import { noDisk, type Platform } from '../core/platform.ts'
import type { Catalog, CatalogOf } from '../core/types.ts'

export * from '../public.ts'

const platform: Platform = {
  clientType: 'browser',
  env: {},
  userAgent: null,
  readCa() {
    throw invalid(
      'Browsers trust the certificates of their system only. Remove ca, and install the CA certificate as the trust page of the service describes.',
    )
  },
  storedServer(name) {
    if (name === null) return null
    throw invalid('PROMPTDECK_SERVER must be a URL: browsers have no stored servers.')
  },
  fetch: () => (url, init) => fetch(url, init),
  openDisk: () => noDisk,
  onHide(listener) {
    // A worker has no document.
    if (!('document' in globalThis)) return () => undefined
    const onChange = (): void => {
      if (document.visibilityState === 'hidden') listener()
    }
    document.addEventListener('visibilitychange', onChange)
    addEventListener('pagehide', listener)
    return () => {
      document.removeEventListener('visibilitychange', onChange)
      removeEventListener('pagehide', listener)
    }
  },
  // A browser sends no headers with the upgrade; the service takes the token as a protocol.
  sockets: () =>
    Promise.resolve((url: string, token: string | null) =>
      url.startsWith('wss:') && token !== null
        ? new WebSocket(url, ['promptdeck', `promptdeck.token.${token}`])
        : new WebSocket(url),
    ),
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
