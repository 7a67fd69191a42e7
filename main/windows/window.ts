import type { BrowserWindowConstructorOptions } from 'electron'
import { remoteArgument } from '../page/channels.ts'
import { minSize } from '../settings/window-state.ts'
import { texts } from './texts.ts'

const isolation = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  webSecurity: true,
  spellcheck: false,
} as const

/** The console's window: a sandboxed page without Node, shown when it has content. */
export const windowOptions = (preload: string, icon: string): BrowserWindowConstructorOptions => ({
  title: texts.product,
  minWidth: minSize.width,
  minHeight: minSize.height,
  show: false,
  autoHideMenuBar: true,
  icon,
  webPreferences: { preload, ...isolation },
})

/** The window of another computer's console, with a session of its own. */
export const remoteWindowOptions = (
  preload: string,
  icon: string,
  partition: string,
): BrowserWindowConstructorOptions => {
  const { webPreferences, ...options } = windowOptions(preload, icon)
  return {
    ...options,
    webPreferences: { ...webPreferences, partition, additionalArguments: [remoteArgument] },
  }
}

/** The window for servers. Its page has no script; the preload sends its forms. */
export const serversWindowOptions = (preload: string, icon: string): BrowserWindowConstructorOptions => ({
  title: texts.product,
  width: 640,
  height: 780,
  minWidth: 420,
  minHeight: 400,
  show: false,
  autoHideMenuBar: true,
  fullscreenable: false,
  icon,
  webPreferences: { preload, ...isolation },
})

/** The window for the state of the service: needs neither script nor preload. */
export const statusWindowOptions = (icon: string): BrowserWindowConstructorOptions => ({
  title: texts.product,
  width: 640,
  height: 400,
  minWidth: 400,
  minHeight: 300,
  show: false,
  autoHideMenuBar: true,
  fullscreenable: false,
  icon,
  webPreferences: { ...isolation, javascript: false },
})
