import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Asked } from '../../../main/ipc.ts'
import { createLogFile } from '../../../main/log-file.ts'
import { pathsFor } from '../../../main/paths.ts'
import { runDesktop } from '../../../main/run.ts'
import { serviceToken } from '../../support/service.ts'
import { manualClock } from './clock.ts'
import { type Circumstances, electronDouble, type MenuItem, type MenuTemplate } from './electron.ts'
import { type WindowDouble, windowDouble } from './window.ts'

const built = (name: string) => fileURLToPath(new URL(`../../../dist/main/${name}`, import.meta.url))

export type DesktopOptions = Circumstances & {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly platform?: NodeJS.Platform
  readonly dataDir?: string
  /** If true, the test decides when Electron is ready. */
  readonly isUnready?: boolean
  readonly makeWindow?: typeof windowDouble
}

/** Time limit of a test in milliseconds: it starts processes, on a machine that may have other load. */
export const patience = 150_000

/** Polls until a value is as expected: a process starts, a page loads. */
export const eventually = <T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: 60_000, interval: 20 })

/** Starts the complete desktop app with a simulated Electron, the real service and a manual clock. */
export async function startDesktop(options: DesktopOptions = {}) {
  const { args = [], env = {}, platform = 'linux', makeWindow = windowDouble, ...circumstances } = options
  const home = await mkdtemp(join(tmpdir(), 'promptdeck-desktop-'))
  const dataDir = options.dataDir ?? join(home, 'data')
  const double = electronDouble(circumstances, makeWindow)
  const clock = manualClock()
  const surroundings = {
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    PORT: '0',
    SERVICE_TOKEN: serviceToken,
    DATA_DIR: dataDir,
    ...env,
  }
  const paths = pathsFor(surroundings)
  const log = createLogFile({ folder: paths.logs, now: clock.now })
  const done = runDesktop(double.electron, {
    args,
    env: surroundings,
    platform,
    execPath: '/opt/Promptdeck/promptdeck',
    home,
    paths,
    log,
    clock,
    files: {
      preload: built('preload.cjs'),
      serviceHost: built('service-host.js'),
      icon: (name) => `icons/${name}`,
    },
  })
  if (options.isUnready !== true) double.becomeReady()

  const { seen, windows } = double
  const status = () => String(seen.tray?.menu[0]?.label)
  const isConsole = ({ options: { webPreferences } }: WindowDouble) => webPreferences?.preload !== undefined
  const open = (isWanted: (window: WindowDouble) => boolean) =>
    windows.find((window) => !window.isDestroyed() && isWanted(window))

  const desktop = {
    ...double,
    clock,
    home,
    paths,
    log,
    done,
    /** Returns the state of the service in the tray menu. */
    status,
    /** Returns the console's window, if there is one. */
    window: () => open(isConsole),
    /** Returns the content of the status window, or null. */
    statusPage: () => {
      const shown = open((window) => !isConsole(window))?.loads.at(-1)
      return shown === undefined ? null : decodeURIComponent(shown)
    },
    statusWindow: () => open((window) => !isConsole(window)),
    async running(): Promise<WindowDouble> {
      await eventually(status).toMatch(/^(Running at|Connected to)/)
      await eventually(() => open(isConsole)?.loads.length ?? 0).toBeGreaterThan(0)
      const window = open(isConsole)
      if (window === undefined) throw new Error('there is no window')
      return window
    },
    url: () => /http:\S+[^,\s]/.exec(status())?.[0] ?? '',
    /** Calls the shell like the page in a window. */
    ask(channel: string, ...given: unknown[]): Promise<unknown> {
      const sender = open(isConsole)?.webContents ?? {}
      return desktop.askAs(
        { sender, senderFrame: { origin: desktop.url(), parent: null } },
        channel,
        ...given,
      )
    },
    async askAs(event: Asked, channel: string, ...given: unknown[]): Promise<unknown> {
      const answer = double.verbs.get(channel)
      if (answer === undefined) throw new Error(`no handler for ${channel}`)
      return answer(event, ...given)
    },
    logged: () => readFile(log.path, 'utf8'),
    async quit() {
      double.electron.app.quit()
      await eventually(() => seen.exits.length).toBe(1)
    },
    async close() {
      // A second instance has nothing to end.
      if (seen.exits.length === 0 && options.isFirstInstance !== false) {
        double.events.emit('will-quit', { preventDefault: () => {} })
        await eventually(() => seen.exits.length).toBe(1)
      }
      for (const child of double.children) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      await rm(home, { recursive: true, force: true })
    },
  }
  return desktop
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
  const run = item.click as ((given: unknown) => void) | undefined
  run?.({ ...item, checked: !(item.checked ?? false) })
}
