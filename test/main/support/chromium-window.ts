import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Frame, Page, Route } from 'playwright'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import type { ElectronParts } from '../../../main/windows/electron-parts.ts'
import { type WindowDouble, windowDouble } from './window.ts'

const preload = readFileSync(
  fileURLToPath(new URL('../../../dist/main/preload.cjs', import.meta.url)),
  'utf8',
)

/** Runs the built preload like Electron: before the page, in the top frame only, with its two interfaces. */
const preloaded = `(() => {
  const listeners = {}
  window.receiveFromShell = (channel, path) => listeners[channel]?.({}, path)
  if (window !== top) return
  const contextBridge = { exposeInMainWorld: (name, value) => { window[name] = value } }
  const ipcRenderer = {
    invoke: (...args) => window.askShell(...args),
    on: (channel, listener) => { listeners[channel] = listener },
  }
  ;((module, exports, require) => {
    ${preload}
  })({}, {}, () => ({ contextBridge, ipcRenderer }))
})()`

export type ChromiumOptions = {
  readonly browser: Browser
  readonly ask: (event: IpcEvent, channel: string, ...args: unknown[]) => Promise<unknown>
  /** Session token, to be signed in from the start. */
  readonly token?: string
}

type State = {
  readonly base: WindowDouble
  readonly webContents: WindowDouble['webContents']
  shown: Page | null
  /** True for loads by the shell itself, for which Electron emits no navigation event. */
  isOwnLoad: boolean
}

/**
 * Windows that are pages of a real Chromium; their navigations, new windows and calls go through the shell.
 */
export function chromiumWindows(chromium: ChromiumOptions) {
  const pages = new Map<object, Promise<Page>>()

  const make = (
    options: Parameters<ElectronParts['createWindow']>[0],
    onDestroyed?: () => void,
  ): WindowDouble => {
    const base = windowDouble(options, onDestroyed)
    const webContents: WindowDouble['webContents'] = {
      ...base.webContents,
      getURL: () => state.shown?.url() ?? '',
      send: (channel, path) => {
        base.webContents.send(channel, path)
        sendTo(state.shown, channel, path)
      },
    }
    const state: State = { base, webContents, shown: null, isOwnLoad: false }
    const opening = open(chromium, state)
    const double: WindowDouble = {
      ...base,
      webContents,
      async loadURL(url) {
        await base.loadURL(url)
        const page = await opening
        state.isOwnLoad = !url.startsWith('data:')
        await page.goto(url)
      },
      destroy() {
        base.destroy()
        void opening.then((page) => page.context().close())
      },
    }
    pages.set(double, opening)
    return double
  }

  return {
    make,
    /** Returns the page that a window shows. */
    page: async (window: WindowDouble | undefined): Promise<Page> => {
      const page = window && (await pages.get(window))
      if (page === undefined) throw new Error('no such window')
      return page
    },
  }
}

function sendTo(page: Page | null, channel: string, path: string): void {
  // A closed page receives nothing, and Electron reports no error.
  page
    ?.evaluate(
      ([name, value]) => {
        const receive: unknown = Reflect.get(window, 'receiveFromShell')
        if (typeof receive === 'function') receive(name, value)
      },
      [channel, path] as const,
    )
    .catch(() => {})
}

async function open({ browser, ask, token }: ChromiumOptions, state: State): Promise<Page> {
  const { options } = state.base
  const context = await browser.newContext({
    javaScriptEnabled: options.webPreferences?.javascript !== false,
    viewport: { width: options.width ?? 1200, height: options.height ?? 800 },
    reducedMotion: 'reduce',
    locale: 'en-US',
  })
  // Runs in real time until the test changes it.
  await context.clock.install()
  const page = await context.newPage()
  if (options.webPreferences?.preload !== undefined) {
    await context.exposeBinding('askShell', ({ frame }, channel: string, ...args: unknown[]) => {
      const { origin } = new URL(frame.url())
      const senderFrame = { origin, parent: frame.parentFrame() }
      return ask({ sender: state.webContents, senderFrame }, channel, ...args)
    })
    await context.addInitScript(preloaded)
    if (token !== undefined)
      await context.addInitScript(`sessionStorage.setItem('promptdeck.token', ${JSON.stringify(token)})`)
  }
  await context.route('**/*', (route) => handleRoute(state, page, route))
  context.on('page', (other) => void other.close())
  page.setDefaultTimeout(20_000)
  state.shown = page
  return page
}

/** Continues a request, or aborts it if it is a navigation that the shell prevents. */
async function handleRoute(state: State, page: Page, route: Route): Promise<void> {
  const request = route.request()
  if (!request.isNavigationRequest()) return route.continue()
  const { base } = state
  const frame = frameOf(request)
  if (frame?.page() !== page) {
    // The first load of a new window, which the shell always denies.
    base.openWindow(request.url())
    await route.abort('aborted')
    return
  }
  const isMain = frame === page.mainFrame()
  if (isMain && state.isOwnLoad) {
    state.isOwnLoad = false
    return route.continue()
  }
  const isFrameAllowed = base.navigate('will-frame-navigate', request.url())
  const isPageAllowed = !isMain || base.navigate('will-navigate', request.url())
  return isFrameAllowed && isPageAllowed ? route.continue() : route.abort('aborted')
}

function frameOf(request: { frame(): Frame }): Frame | null {
  try {
    return request.frame()
  } catch {
    // A window that is being opened has no frame yet.
    return null
  }
}
