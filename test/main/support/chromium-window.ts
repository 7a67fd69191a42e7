import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Frame, Page, Route } from 'playwright'
import type { ElectronParts } from '../../../main/electron-parts.ts'
import type { Asked } from '../../../main/ipc.ts'
import { type WindowDouble, windowDouble } from './window.ts'

const preload = readFileSync(
  fileURLToPath(new URL('../../../dist/main/preload.cjs', import.meta.url)),
  'utf8',
)

/** Runs the built preload like Electron: before the page, in the top frame only, with its two interfaces. */
const preloaded = `(() => {
  const heard = {}
  window.hearFromShell = (channel, path) => heard[channel]?.({}, path)
  if (window !== top) return
  const contextBridge = { exposeInMainWorld: (name, value) => { window[name] = value } }
  const ipcRenderer = {
    invoke: (...given) => window.askShell(...given),
    on: (channel, listener) => { heard[channel] = listener },
  }
  ;((module, exports, require) => {
    ${preload}
  })({}, {}, () => ({ contextBridge, ipcRenderer }))
})()`

export type ChromiumOptions = {
  readonly browser: Browser
  readonly ask: (event: Asked, channel: string, ...given: unknown[]) => Promise<unknown>
  /** Session token, to be signed in from the start. */
  readonly token?: string
}

/**
 * Windows that are pages of a real Chromium; their navigations, new windows and calls go through the shell.
 */
export function chromiumWindows({ browser, ask, token }: ChromiumOptions) {
  const pages = new Map<object, Promise<Page>>()

  const make = (options: Parameters<ElectronParts['createWindow']>[0], onGone?: () => void): WindowDouble => {
    const base = windowDouble(options, onGone)
    let shown: Page | null = null
    /** True for loads by the shell itself, for which Electron emits no navigation event. */
    let isOwnLoad = false
    const webContents: WindowDouble['webContents'] = {
      ...base.webContents,
      getURL: () => shown?.url() ?? '',
      send: (channel, path) => {
        base.webContents.send(channel, path)
        // A closed page receives nothing, and Electron reports no error.
        shown
          ?.evaluate(
            ([name, value]) => {
              const hear: unknown = Reflect.get(window, 'hearFromShell')
              if (typeof hear === 'function') hear(name, value)
            },
            [channel, path] as const,
          )
          .catch(() => {})
      },
    }

    const decide = async (page: Page, route: Route) => {
      const request = route.request()
      if (!request.isNavigationRequest()) return route.continue()
      const frame = frameOf(request)
      if (frame?.page() !== page) {
        // The first load of a new window, which the shell always denies.
        base.openWindow(request.url())
        await route.abort('aborted')
        return
      }
      const isMain = frame === page.mainFrame()
      if (isMain && isOwnLoad) {
        isOwnLoad = false
        return route.continue()
      }
      const isLet = base.navigate('will-frame-navigate', request.url())
      const isLetToo = !isMain || base.navigate('will-navigate', request.url())
      return isLet && isLetToo ? route.continue() : route.abort('aborted')
    }

    const open = async () => {
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
        await context.exposeBinding('askShell', ({ frame }, channel: string, ...given: unknown[]) => {
          const { origin } = new URL(frame.url())
          return ask(
            { sender: webContents, senderFrame: { origin, parent: frame.parentFrame() } },
            channel,
            ...given,
          )
        })
        await context.addInitScript(preloaded)
        if (token !== undefined)
          await context.addInitScript(`sessionStorage.setItem('promptdeck.token', ${JSON.stringify(token)})`)
      }
      await context.route('**/*', (route) => decide(page, route))
      context.on('page', (other) => void other.close())
      page.setDefaultTimeout(20_000)
      shown = page
      return page
    }
    const opening = open()

    const double: WindowDouble = {
      ...base,
      webContents,
      async loadURL(url) {
        await base.loadURL(url)
        const page = await opening
        isOwnLoad = !url.startsWith('data:')
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

function frameOf(request: { frame(): Frame }): Frame | null {
  try {
    return request.frame()
  } catch {
    // A window that is being opened has no frame yet.
    return null
  }
}
