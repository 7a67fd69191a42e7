import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createLogFile } from '../../../main/lib/log-file.ts'
import { pathsFor } from '../../../main/lib/paths.ts'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import { runDesktop } from '../../../main/run.ts'
import type { ServerClient } from '../../../server/index.ts'
import { serverClient } from '../../../server/tools/desktop/server-client.ts'
import { serviceToken } from '../../support/service.ts'
import { manualClock } from './clock.ts'
import { type Circumstances, electronDouble, type MenuItem, type MenuTemplate } from './electron.ts'
import { type WindowDouble, windowDouble } from './window.ts'

const built = (name: string) => fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url))

export type DesktopOptions = Circumstances & {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly platform?: NodeJS.Platform
  readonly dataDir?: string
  /** If true, the test decides when Electron is ready. */
  readonly isUnready?: boolean
  readonly makeWindow?: typeof windowDouble
  /** The time at the start. Certificates of a service are valid by the real time. */
  readonly startsAt?: number
  /** Replaces functions of the client for services on other computers. */
  readonly serverClient?: Partial<ServerClient>
}

/** Time limit of a test in milliseconds: it starts processes, on a machine that may have other load. */
export const patience = 150_000

/** Polls until a value is as expected: a process starts, a page loads. */
export const eventually = <T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: 60_000, interval: 20 })

/** Starts the complete desktop app with a simulated Electron, the real service and a manual clock. */
export async function startDesktop(options: DesktopOptions = {}) {
  const app = await launch(options)
  if (options.isUnready !== true) app.becomeReady()
  const status = () => String(app.seen.tray?.menu[0]?.label)
  const url = () => /http:\S+[^,\s]/.exec(status())?.[0] ?? ''
  const openWindow = (isWanted: (window: WindowDouble) => boolean) =>
    app.windows.find((window) => !window.isDestroyed() && isWanted(window))
  const window = () => openWindow(isConsole)
  const statusWindow = () => openWindow((one) => preloadOf(one) === '')
  const serversWindow = () => openWindow(isServers)
  const askAs = async (event: IpcEvent, channel: string, ...args: unknown[]): Promise<unknown> => {
    const answer = app.ipcHandlers.get(channel)
    if (answer === undefined) throw new Error(`no handler for ${channel}`)
    return answer(event, ...args)
  }

  return {
    ...app,
    /** Returns the state of the service in the tray menu. */
    status,
    /** Returns the console's window, if there is one. */
    window,
    /** Returns the content of the status window, or null. */
    statusPage: () => {
      const shown = statusWindow()?.loads.at(-1)
      return shown === undefined ? null : decodeURIComponent(shown)
    },
    statusWindow,
    /** Returns the window for servers, if there is one. */
    serversWindow,
    /** Returns the windows of other computers' consoles. */
    remoteWindows: () => app.windows.filter((one) => !one.isDestroyed() && isRemote(one)),
    /** Acts like the preload of the window for servers. */
    act(action: string, fields: Readonly<Record<string, string>> = {}): Promise<unknown> {
      const sender = serversWindow()?.webContents ?? {}
      return askAs(
        { sender, senderFrame: { origin: 'null', parent: null } },
        'promptdeck:servers',
        action,
        fields,
      )
    },
    /** Returns the text of the window for servers, without markup. */
    serversText: () => textOf(serversWindow()?.sent.at(-1) ?? ''),
    async running(): Promise<WindowDouble> {
      await eventually(status).toMatch(/^(Running at|Connected to)/)
      await eventually(() => window()?.loads.length ?? 0).toBeGreaterThan(0)
      const shown = window()
      if (shown === undefined) throw new Error('there is no window')
      return shown
    },
    url,
    /** Calls the shell like the page in a window. */
    ask(channel: string, ...args: unknown[]): Promise<unknown> {
      const sender = window()?.webContents ?? {}
      return askAs({ sender, senderFrame: { origin: url(), parent: null } }, channel, ...args)
    },
    askAs,
    logged: () => readFile(app.log.path, 'utf8'),
    async quit() {
      app.electron.app.quit()
      await eventually(() => app.seen.exits.length).toBe(1)
    },
    close: () => close(app, options),
  }
}

const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')

async function launch(options: DesktopOptions) {
  const { args = [], env = {}, platform = 'linux', makeWindow = windowDouble, ...circumstances } = options
  const home = await mkdtemp(join(tmpdir(), 'promptdeck-desktop-'))
  const double = electronDouble(circumstances, makeWindow)
  const clock = manualClock(options.startsAt)
  const context = {
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    PORT: '0',
    SERVICE_TOKEN: serviceToken,
    DATA_DIR: options.dataDir ?? join(home, 'data'),
    ...env,
  }
  const paths = pathsFor(context)
  const log = createLogFile({ folder: paths.logs, now: clock.now })
  const done = runDesktop(double.electron, {
    args,
    env: context,
    platform,
    execPath: '/opt/Promptdeck/promptdeck',
    home,
    computerName: 'laptop',
    loadServerClient: async () => ({ ...serverClient, browse: noNetwork, ...options.serverClient }),
    paths,
    log,
    clock,
    files: {
      preload: built('main/preload.cjs'),
      serversPreload: built('main/servers-preload.cjs'),
      serviceHost: built('bundle/service/service-host.js'),
      icon: (name) => `icons/${name}`,
    },
  })
  return { ...double, clock, home, paths, log, done }
}

/** No test sends to a real network. */
const noNetwork = () => () => {}

const preloadOf = ({ options: { webPreferences } }: WindowDouble) =>
  /[^/]*$/.exec(webPreferences?.preload ?? '')?.[0] ?? ''
const isRemote = ({ options: { webPreferences } }: WindowDouble) => webPreferences?.partition !== undefined
const isConsole = (window: WindowDouble) => preloadOf(window) === 'preload.cjs' && !isRemote(window)
const isServers = (window: WindowDouble) => preloadOf(window) === 'servers-preload.cjs'

async function close(app: Awaited<ReturnType<typeof launch>>, options: DesktopOptions): Promise<void> {
  // A second instance has nothing to end.
  if (app.seen.exits.length === 0 && options.isFirstInstance !== false) {
    app.events.emit('will-quit', { preventDefault: () => {} })
    await eventually(() => app.seen.exits.length).toBe(1)
  }
  for (const child of app.children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await rm(app.home, { recursive: true, force: true })
}

export type Desktop = Awaited<ReturnType<typeof startDesktop>>

/** Returns an item of a menu, at any depth. */
export function itemOf(menu: MenuTemplate, label: string): MenuItem {
  const all = (items: MenuTemplate): MenuItem[] =>
    items.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? all(item.submenu) : [])])
  const found = all(menu).find((item) => item.label === label)
  if (found === undefined) throw new Error(`the menu has no "${label}"`)
  return found
}

/** Clicks an item like Electron: passes the item, with a checkbox already toggled. */
export function click(menu: MenuTemplate, label: string): void {
  const item = itemOf(menu, label)
  const run = item.click as ((event: unknown) => void) | undefined
  run?.({ ...item, checked: !(item.checked ?? false) })
}
