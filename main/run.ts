import { mkdirSync } from 'node:fs'
import type { ElectronParts } from './electron-parts.ts'
import { pathInArguments, pathOfLink } from './links.ts'
import { hiddenFlag } from './login-item.ts'
import { createShell } from './shell.ts'
import type { Surroundings } from './surroundings.ts'

const appId = 'dev.promptdeck.desktop'

/** The app's life: one at a time per data folder, from the system's events to the shell. */
export async function runDesktop(electron: ElectronParts, around: Surroundings): Promise<void> {
  const { app } = electron
  // Before anything else: the profile is what the single instance is single for.
  mkdirSync(around.paths.profile, { recursive: true, mode: 0o700 })
  app.setPath('userData', around.paths.profile)
  app.enableSandbox()
  if (!app.requestSingleInstanceLock()) {
    // The one that runs hears of this start and of its link.
    app.quit()
    return
  }
  app.setAppUserModelId(appId)
  // A development build would make the system open a bare Electron for links.
  if (app.isPackaged) app.setAsDefaultProtocolClient('promptdeck')

  const shell = createShell(electron, around)
  app.on('second-instance', (_event, args) => {
    const path = pathInArguments(args)
    if (path !== null || !args.includes(hiddenFlag)) shell.open(path)
  })
  // macOS gives links this way, also before the app is ready.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    shell.open(pathOfLink(url))
  })
  app.on('activate', () => shell.open(null))
  app.on('before-quit', () => shell.beginQuit())
  app.on('window-all-closed', () => {
    if (!shell.isKept()) app.quit()
  })
  let isStopping = false
  app.on('will-quit', (event) => {
    // The last writes are on disk before the process goes.
    event.preventDefault()
    if (isStopping) return
    isStopping = true
    shell.beginQuit()
    void shell.stop().finally(() => app.exit(0))
  })
  await app.whenReady()
  await shell.start()
}
