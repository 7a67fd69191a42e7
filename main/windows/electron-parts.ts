import type { BrowserWindowConstructorOptions, MenuItemConstructorOptions } from 'electron'
import type { SafeStoragePart } from '../lib/seal.ts'
import type { IpcPart } from '../page/ipc.ts'
import type { LockableContents, LockableSession } from '../page/security.ts'
import type { ServerSessionPart } from '../servers/server-session.ts'
import type { Child } from '../service/service-process.ts'
import type { PlacedWindow, Rectangle } from '../settings/window-state.ts'

type Preventable = { preventDefault(): void }

export type ContentsPart = LockableContents & {
  getURL(): string
  reload(): void
  send(channel: string, text: string): void
  on(
    event: 'did-fail-load',
    listener: (event: unknown, code: number, description: string, url: string, isMainFrame: boolean) => void,
  ): unknown
  on(
    event: 'render-process-gone',
    listener: (event: unknown, details: { readonly reason: string }) => void,
  ): unknown
}

export type WindowPart = PlacedWindow & {
  readonly webContents: ContentsPart
  loadURL(url: string): Promise<void>
  show(): void
  hide(): void
  focus(): void
  restore(): void
  maximize(): void
  destroy(): void
  isMinimized(): boolean
  isDestroyed(): boolean
  once(event: 'ready-to-show', listener: () => void): unknown
  on(event: 'close', listener: (event: Preventable) => void): unknown
  on(event: 'closed' | 'focus', listener: () => void): unknown
}

export type TrayPart = {
  setImage(file: string): void
  setToolTip(text: string): void
  setMenu(template: MenuItemConstructorOptions[]): void
  onClick(run: () => void): void
}

export type AppPart = {
  readonly isPackaged: boolean
  getVersion(): string
  getLoginItemSettings(options?: { path?: string; args?: string[] }): {
    openAtLogin: boolean
    wasOpenedAtLogin: boolean
  }
  setLoginItemSettings(settings: { openAtLogin?: boolean; path?: string; args?: string[] }): void
  setAsDefaultProtocolClient(protocol: string): boolean
  setAppUserModelId(id: string): void
  setPath(name: string, path: string): void
  enableSandbox(): void
  requestSingleInstanceLock(): boolean
  whenReady(): Promise<void>
  quit(): void
  exit(code?: number): void
  on(event: 'second-instance', listener: (event: unknown, args: string[]) => void): unknown
  on(event: 'open-url', listener: (event: Preventable, url: string) => void): unknown
  on(event: 'will-quit', listener: (event: Preventable) => void): unknown
  on(event: 'activate' | 'before-quit' | 'window-all-closed', listener: () => void): unknown
}

/** The service process with its output, which is written to the log. */
export type ChildWithOutput = Child & {
  readonly stdout: Listenable | null
  readonly stderr: Listenable | null
}
type Listenable = { on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown }

/** The parts of Electron that the shell uses. Tests pass a substitute, and only index.ts loads Electron. */
export type ElectronParts = {
  readonly app: AppPart
  readonly ipc: IpcPart
  readonly safeStorage: SafeStoragePart
  session(): LockableSession
  /** Returns the session with this name; creates it on first use. */
  serverSession(partition: string): ServerSessionPart
  createWindow(options: BrowserWindowConstructorOptions): WindowPart
  createTray(icon: string): TrayPart
  setMenu(template: MenuItemConstructorOptions[]): void
  fork(module: string, env: Readonly<Record<string, string | undefined>>): ChildWithOutput
  screens(): readonly Rectangle[]
  copy(text: string): void
  openExternal(url: string): Promise<void>
  /** Rejects if the system cannot show the folder. */
  openFolder(path: string): Promise<void>
  canNotify(): boolean
  notify(notice: { title: string; body: string }, onClick: () => void): void
}
