import { type } from 'node:os'
import { BaseClient } from '../client.ts'
import { invalid, messageOf } from '../core/errors.ts'
import type { ClientOptions } from '../core/options.ts'
import type { OpenSocket, Platform } from '../core/platform.ts'
import { noDisk } from '../core/platform.ts'
import type { Catalog, CatalogOf } from '../core/types.ts'
import { version } from '../core/version.ts'
import { openDisk } from './disk.ts'

export * from '../public.ts'

const userAgent = `promptdeck-js/${version} (Node.js ${process.versions.node}; ${type()})`
const headers = { 'user-agent': userAgent }

/** Node's own WebSocket also takes headers, but its types are those of browsers. */
const nodeSocketOptions = ('undici' in process.versions ? { headers } : []) as string[]

/** Returns how to open a socket. Node includes a WebSocket from version 22 on. */
async function sockets(): Promise<OpenSocket> {
  if (typeof globalThis.WebSocket === 'function') return (url) => new WebSocket(url, nodeSocketOptions)
  try {
    const { WebSocket } = await import('ws')
    return (url) => new WebSocket(url, { headers, perMessageDeflate: false })
  } catch {
    throw invalid('This Node has no WebSocket. Add the package ws (npm install ws), or use Node 22 or newer.')
  }
}

const platform: Platform = {
  clientType: 'node-sdk',
  env: process.env,
  userAgent,
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
  sockets,
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
