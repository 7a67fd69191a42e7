import { mkdirSync } from 'node:fs'
import type { ShellContext } from './lib/shell-context.ts'
import { linkInArguments, linkOf } from './page/links.ts'
import { hiddenFlag } from './settings/login-item.ts'
import { createShell } from './shell.ts'
import type { ElectronParts } from './windows/electron-parts.ts'

const appId = 'dev.promptdeck.desktop'

/** Runs the app, one instance per data folder, and forwards system events to the shell. */
export async function runDesktop(electron: ElectronParts, context: ShellContext): Promise<void> {
  const { app } = electron
  // First, because the single-instance lock belongs to the profile.
  mkdirSync(context.paths.profile, { recursive: true, mode: 0o700 })
  app.setPath('userData', context.paths.profile)
  app.enableSandbox()
  if (!app.requestSingleInstanceLock()) {
    // The running instance receives the arguments of this start.
    app.quit()
    return
  }
  app.setAppUserModelId(appId)
  // In a development build the system would open Electron without the app.
  if (app.isPackaged) app.setAsDefaultProtocolClient('promptdeck')

  const shell = createShell(electron, context)
  app.on('second-instance', (_event, args) => {
    const link = linkInArguments(args)
    if (link !== null) shell.openLink(link)
    else if (!args.includes(hiddenFlag)) shell.open(null)
  })
  // macOS delivers links by this event, possibly before the app is ready.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    shell.openLink(linkOf(url))
  })
  app.on('activate', () => shell.open(null))
  app.on('before-quit', () => shell.beginQuit())
  app.on('window-all-closed', () => {
    if (!shell.runsWithoutWindow()) app.quit()
  })
  let isStopping = false
  app.on('will-quit', (event) => {
    // Delays the exit until the last writes are on disk.
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    shell.beginQuit()
    void shell.stop().finally(() => app.exit(0))
  })
  await app.whenReady()
  await shell.start()
}
