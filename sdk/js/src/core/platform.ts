import type { Settings } from './options.ts'
import type { Env, Target, TargetFiles } from './target.ts'
import type { ServedPrompt } from './types.ts'

/** The differences between Node and browsers. */
export type Platform = TargetFiles & {
  /** Client type that the console shows. */
  readonly clientType: 'node-sdk' | 'browser'
  readonly env: Env
  /** The User-Agent header; null where the platform sets its own. */
  readonly userAgent: string | null
  /** Returns the function that sends requests. It verifies certificates, and trusts only `ca` if that is set. */
  fetch(target: Target): Fetch
  /** `onUnwritable` is called once, with the reason. */
  openDisk(settings: Settings, onUnwritable: (reason: string) => void): Disk
  /** Calls the listener whenever the page is left or hidden. Returns a function that removes it. */
  onHide(listener: () => void): () => void
  /**
   * Returns the function that opens sockets. It verifies certificates like `fetch`.
   * @throws PromptdeckError `Invalid` if the platform has no WebSocket.
   */
  sockets(target: Target): Promise<OpenSocket>
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Copies of prompts that outlive the process. Methods do not throw: an unreadable copy counts as missing. */
export type Disk = {
  read(key: string): Promise<ServedPrompt | null>
  write(prompt: ServedPrompt): Promise<void>
  remove(key: string): Promise<void>
  hasAny(): Promise<boolean>
  /** Resolves when all operations so far have ended. */
  settled(): Promise<void>
}

/** The used part of a WebSocket, plus `terminate` of Node's `ws`, which closes without a close frame. */
export type Socket = {
  addEventListener(type: 'open', listener: () => void): void
  /** `error` is the reason; pages do not get it. */
  addEventListener(type: 'error', listener: (event: { readonly error?: unknown }) => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  send(text: string): void
  close(code?: number): void
  terminate?(): void
}
/**
 * Opens a socket. Over TLS the token is sent with the upgrade, because a service on the local network accepts no
 * connection without one.
 */
export type OpenSocket = (url: string, token: string | null) => Socket

/** For platforms without storage. */
export const noDisk: Disk = {
  read: () => Promise.resolve(null),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  hasAny: () => Promise.resolve(false),
  settled: () => Promise.resolve(),
}
