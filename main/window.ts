import type { BrowserWindowConstructorOptions } from 'electron'

/** The console's window: a sandboxed page without Node, shown once it has something to show. */
export const windowOptions = (preload: string): BrowserWindowConstructorOptions => ({
  title: 'Promptdeck',
  width: 1440,
  height: 900,
  minWidth: 640,
  minHeight: 480,
  show: false,
  autoHideMenuBar: true,
  webPreferences: {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webviewTag: false,
    webSecurity: true,
    spellcheck: false,
  },
})
