import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type DetailedPeerCertificate } from 'node:tls'
import type { Browser, Frame, Page, Route } from 'playwright'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import type { PresentedCertificate } from '../../../main/servers/certificate.ts'
import type { ElectronParts } from '../../../main/windows/electron-parts.ts'
import type { SessionDouble } from './sessions.ts'
import { type WindowDouble, windowDouble } from './window.ts'

/** Runs the built preload like Electron: before the page, in the top frame only, with its two interfaces. */
const preloaded = (file: string, args: readonly string[]) => `(() => {
  const listeners = {}
  window.receiveFromShell = (channel, path) => listeners[channel]?.({}, path)
  if (window !== top) return
  const contextBridge = { exposeInMainWorld: (name, value) => { window[name] = value } }
  const ipcRenderer = {
    invoke: (...args) => window.askShell(...args),
    on: (channel, listener) => { listeners[channel] = listener },
  }
  ;((module, exports, require) => {
    const process = { argv: ${JSON.stringify(args)} }
    ${readFileSync(file, 'utf8')}
  })({}, {}, () => ({ contextBridge, ipcRenderer }))
})()`

export type ChromiumOptions = {
  readonly browser: Browser
  readonly ask: (event: IpcEvent, channel: string, ...args: unknown[]) => Promise<unknown>
  /** Session token, to be signed in from the start. */
  readonly token?: string
  /** The sessions of servers, which verify certificates. */
  readonly sessions?: () => ReadonlyMap<string, SessionDouble>
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

async function open(chromium: ChromiumOptions, state: State): Promise<Page> {
  const { browser, ask, token } = chromium
  const { options } = state.base
  const { preload, partition, additionalArguments = [] } = options.webPreferences ?? {}
  const context = await browser.newContext({
    javaScriptEnabled: options.webPreferences?.javascript !== false,
    viewport: { width: options.width ?? 1200, height: options.height ?? 800 },
    reducedMotion: 'reduce',
    locale: 'en-US',
    // The session's own verification decides, below.
    ignoreHTTPSErrors: partition !== undefined,
  })
  // Runs in real time until the test changes it.
  await context.clock.install()
  const page = await context.newPage()
  if (preload !== undefined) {
    await context.exposeBinding('askShell', ({ frame }, channel: string, ...args: unknown[]) => {
      const { origin } = new URL(frame.url())
      const senderFrame = { origin, parent: frame.parentFrame() }
      return ask({ sender: state.webContents, senderFrame }, channel, ...args)
    })
    await context.addInitScript(preloaded(preload, additionalArguments))
    if (token !== undefined && partition === undefined)
      await context.addInitScript(`sessionStorage.setItem('promptdeck.token', ${JSON.stringify(token)})`)
  }
  await context.route('**/*', async (route) => {
    const session = partition === undefined ? undefined : chromium.sessions?.().get(partition)
    if (partition === undefined || (await isAccepted(session, route.request().url()))) {
      await handleRoute(state, page, route)
      return
    }
    await route.abort('failed')
    if (route.request().isNavigationRequest()) failLoad(state, route.request().url())
  })
  context.on('page', (other) => void other.close())
  page.setDefaultTimeout(20_000)
  state.shown = page
  return page
}

/** Code of Chromium for a certificate of an unknown authority. */
const untrustedCode = -202

function failLoad({ base }: State, url: string): void {
  base.contents.emit('did-fail-load', {}, untrustedCode, 'ERR_CERT_AUTHORITY_INVALID', url, true)
}

/** Lets the session verify the certificate that the server of an address presents, as Electron does. */
async function isAccepted(session: SessionDouble | undefined, address: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(address)
  const verify = session?.verify
  if (protocol !== 'https:' || !verify) return false
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const certificate = presented(socket.getPeerCertificate(true))
  socket.destroy()
  return new Promise((resolve) => verify({ hostname, certificate }, (result) => resolve(result === 0)))
}

function presented({ raw, issuerCertificate }: DetailedPeerCertificate): PresentedCertificate {
  const data = new X509Certificate(raw).toString()
  // A root is its own issuer.
  const isLast = issuerCertificate === undefined || issuerCertificate.raw.equals(raw)
  return isLast ? { data } : { data, issuerCert: presented(issuerCertificate) }
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
