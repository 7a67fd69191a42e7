import { EventEmitter } from 'node:events'
import type { Rectangle } from '../../../main/settings/window-state.ts'
import type { ElectronParts, WindowPart } from '../../../main/windows/electron-parts.ts'

type Options = Parameters<ElectronParts['createWindow']>[0]
type OpenHandler = (details: { url: string }) => { action: 'deny' }

/** A window without a screen: records calls, and has methods to simulate events. */
export type WindowDouble = WindowPart & {
  readonly options: Options
  readonly events: EventEmitter
  readonly contents: EventEmitter
  /** Every loaded address, in order. */
  readonly loads: readonly string[]
  /** Paths that were sent to the page. */
  readonly sent: readonly string[]
  readonly state: { isShown: boolean; isFocused: boolean; isMaximized: boolean; isMinimized: boolean }
  bounds: Rectangle
  reloads: number
  /** Closes it like a user; returns false if the app prevented it. */
  closeByHand(): boolean
  /** Returns true if a navigation of the given kind was allowed. */
  navigate(event: 'will-navigate' | 'will-redirect' | 'will-frame-navigate', url: string): boolean
  openWindow(url: string): { action: 'deny' } | undefined
}

export function windowDouble(options: Options, onDestroyed: () => void = () => {}): WindowDouble {
  const events = new EventEmitter()
  const contents = new EventEmitter()
  const loads: string[] = []
  const sent: string[] = []
  const state = { isShown: false, isFocused: false, isMaximized: false, isMinimized: false }
  let isDestroyed = false
  let openHandler: OpenHandler | undefined
  const destroy = () => {
    if (isDestroyed) return
    isDestroyed = true
    events.emit('closed')
    onDestroyed()
  }
  const double: WindowDouble = {
    options,
    events,
    contents,
    loads,
    sent,
    state,
    reloads: 0,
    bounds: {
      x: options.x ?? 100,
      y: options.y ?? 80,
      width: options.width ?? 800,
      height: options.height ?? 600,
    },
    webContents: {
      getURL: () => loads.at(-1) ?? '',
      reload: () => {
        double.reloads += 1
      },
      send: (_channel, path) => void sent.push(path),
      setWindowOpenHandler: (handler) => {
        openHandler = handler
      },
      on: (event: string, listener: (...args: never[]) => void) =>
        contents.on(event, (...args) => listener(...(args as never[]))),
    },
    async loadURL(url) {
      loads.push(url)
      setImmediate(() => events.emit('ready-to-show'))
    },
    ...stateMethods(state, events),
    destroy,
    isDestroyed: () => isDestroyed,
    getNormalBounds: () => double.bounds,
    once: (event: string, listener: () => void) => events.once(event, listener),
    on: (event: string, listener: (...args: never[]) => void) =>
      events.on(event, (...args) => listener(...(args as never[]))),
    closeByHand() {
      const isPrevented = prevented((event) => events.emit('close', event))
      if (!isPrevented) destroy()
      return !isPrevented
    },
    navigate: (event, url) => !prevented((details) => contents.emit(event, { ...details, url })),
    openWindow: (url) => openHandler?.({ url }),
  }
  return double
}

function stateMethods(state: WindowDouble['state'], events: EventEmitter) {
  return {
    show: () => {
      state.isShown = true
    },
    hide: () => {
      state.isShown = false
    },
    focus: () => {
      state.isFocused = true
      events.emit('focus')
    },
    restore: () => {
      state.isMinimized = false
    },
    maximize: () => {
      state.isMaximized = true
    },
    isMinimized: () => state.isMinimized,
    isMaximized: () => state.isMaximized,
  }
}

/** Emits an event; returns true if a listener prevented its default action. */
function prevented(emit: (event: { preventDefault(): void }) => void): boolean {
  let isPrevented = false
  emit({
    preventDefault: () => {
      isPrevented = true
    },
  })
  return isPrevented
}
