import type { Settings } from './options.ts'
import type { ServedPrompt } from './types.ts'

/** What differs between Node and browsers. */
export type Platform = {
  /** Under which type the console lists the client. */
  readonly clientType: 'node-sdk' | 'browser'
  readonly env: Readonly<Record<string, string | undefined>>
  /** How the client calls itself; null where the platform has it its own way. */
  readonly userAgent: string | null
  /** `onUnwritable` is called once, with why. */
  openDisk(settings: Settings, onUnwritable: (why: string) => void): Disk
  /**
   * Finds out how sockets are opened here.
   * @throws PromptdeckError `Invalid` when there is no way to.
   */
  sockets(): Promise<OpenSocket>
}

/** Copies of prompts that outlive the process. Nothing here throws: a copy that cannot be had is not there. */
export type Disk = {
  read(key: string): Promise<ServedPrompt | null>
  write(prompt: ServedPrompt): Promise<void>
  remove(key: string): Promise<void>
  hasAny(): Promise<boolean>
  /** When what was asked for so far is done. */
  settled(): Promise<void>
}

/** The part of a WebSocket that is used, and what only Node's `ws` has: cutting without a farewell. */
export type Socket = {
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void
  send(text: string): void
  close(code?: number): void
  terminate?(): void
}
export type OpenSocket = (url: string) => Socket

/** Where nothing can be kept. */
export const noDisk: Disk = {
  read: () => Promise.resolve(null),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  hasAny: () => Promise.resolve(false),
  settled: () => Promise.resolve(),
}
