import { fileURLToPath } from 'node:url'
import { app, BrowserWindow, dialog, session, shell, utilityProcess } from 'electron'
import { attachUrl, localUrl } from './attach.ts'
import { lockContents, lockSession } from './security.ts'
import { isStartFailure, type ServiceProcess, startServiceProcess } from './service-process.ts'
import { windowOptions } from './window.ts'

/** Built side by side with this file. */
const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

let service: ServiceProcess | null = null

/** The address to show: that of a service that runs already, else of one started here. */
async function serviceUrl(): Promise<string> {
  const given = attachUrl(process.argv)
  if (given !== null) return given
  try {
    service = await startServiceProcess({
      fork: () => utilityProcess.fork(beside('./service-host.js'), [], { serviceName: 'Promptdeck service' }),
      onLost: (code) => stopWith(`The service ended with code ${code}. Start Promptdeck again to go on.`),
    })
    return service.url
  } catch (error) {
    const running = isStartFailure(error) && error.runningAt !== null ? localUrl(error.runningAt) : null
    if (running !== null) return running
    throw error
  }
}

async function openWindow(url: string): Promise<void> {
  const window = new BrowserWindow(windowOptions(beside('./preload.cjs')))
  lockContents(window.webContents, new URL(url).origin, (outside) => void shell.openExternal(outside))
  window.once('ready-to-show', () => window.show())
  await window.loadURL(url)
}

function stopWith(reason: string): void {
  dialog.showErrorBox('Promptdeck cannot go on', reason)
  app.exit(1)
}

async function run(): Promise<void> {
  await app.whenReady()
  const url = await serviceUrl()
  lockSession(session.defaultSession, new URL(url).origin)
  await openWindow(url)
  app.on('second-instance', () => BrowserWindow.getAllWindows()[0]?.focus())
  app.on('activate', () => {
    if (BrowserWindow.getAllWindows().length === 0) void openWindow(url)
  })
}

app.enableSandbox()
app.on('window-all-closed', () => {
  if (process.platform !== 'darwin') app.quit()
})
app.on('will-quit', (event) => {
  if (service === null) return
  // The last writes are on disk before the process goes.
  event.preventDefault()
  const closing = service
  service = null
  void closing.close().finally(() => app.exit(0))
})

if (app.requestSingleInstanceLock()) {
  run().catch((error: unknown) => stopWith(error instanceof Error ? error.message : String(error)))
} else app.quit()
