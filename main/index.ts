import { homedir, hostname } from 'node:os'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} from 'electron'
import { systemClock } from './lib/clock.ts'
import { commandArguments } from './lib/command.ts'
import { createLogFile } from './lib/log-file.ts'
import { pathsFor } from './lib/paths.ts'
import { runDesktop } from './run.ts'
import type { ElectronParts } from './windows/electron-parts.ts'

/** Returns the path of a file that is built next to this one; icons are copied there. */
const builtFile = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const serverClientUrl = pathToFileURL(builtFile('../bundle/service/server-client.js')).href

/** Notifications without a reference are garbage-collected, and their clicks are lost. */
const openNotifications = new Set<Notification>()

const electron: ElectronParts = {
  app,
  ipc: ipcMain,
  safeStorage,
  session: () => session.defaultSession,
  serverSession: (partition) => session.fromPartition(partition),
  createWindow: (options) => new BrowserWindow(options),
  createTray(icon) {
    const tray = new Tray(icon)
    return {
      setImage: (file) => tray.setImage(file),
      setToolTip: (text) => tray.setToolTip(text),
      setMenu: (template) => tray.setContextMenu(Menu.buildFromTemplate(template)),
      onClick: (run) => void tray.on('click', run),
    }
  },
  setMenu: (template) => Menu.setApplicationMenu(Menu.buildFromTemplate(template)),
  fork: (module, env) =>
    utilityProcess.fork(module, [], { serviceName: 'Promptdeck service', stdio: 'pipe', env: { ...env } }),
  screens: () => {
    const primary = screen.getPrimaryDisplay()
    const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id)
    return [primary, ...others].map(({ workArea }) => workArea)
  },
  copy: (text) => clipboard.writeText(text),
  openExternal: (url) => shell.openExternal(url),
  async openFolder(path) {
    const problem = await shell.openPath(path)
    if (problem !== '') throw new Error(problem)
  },
  canNotify: () => Notification.isSupported(),
  notify(notice, onClick) {
    const notification = new Notification(notice)
    openNotifications.add(notification)
    const release = () => openNotifications.delete(notification)
    notification.on('click', () => {
      release()
      onClick()
    })
    // A clicked notification may not emit `close`, nor one that could not be shown.
    notification.on('close', release)
    notification.on('failed', release)
    notification.show()
  },
}

const paths = pathsFor(process.env)
const log = createLogFile({ folder: paths.logs, now: systemClock.now })

/** Handles an unexpected error: logs it, shows it and exits. */
function stopWith(error: unknown): void {
  log.write(error instanceof Error ? String(error.stack) : String(error))
  dialog.showErrorBox('Promptdeck has stopped', `${String(error)}\n\nLog: ${log.path}`)
  app.exit(1)
}
process.on('uncaughtException', stopWith)

/** Runs the command `promptdeck` without a window. A service that it starts continues to run. */
async function runCommand(args: readonly string[]): Promise<void> {
  const file = builtFile('../bundle/service/promptdeck.js')
  process.argv = [process.execPath, file, ...args]
  await import(pathToFileURL(file).href)
  if (process.exitCode !== undefined) app.exit(Number(process.exitCode))
}

const runWindow = () =>
  runDesktop(electron, {
    args: process.argv.slice(1),
    env: process.env,
    platform: process.platform,
    execPath: process.execPath,
    home: homedir(),
    computerName: hostname(),
    loadServerClient: async () => (await import(serverClientUrl)).serverClient,
    paths,
    log,
    clock: systemClock,
    files: {
      preload: builtFile('./preload.cjs'),
      serversPreload: builtFile('./servers-preload.cjs'),
      serviceHost: builtFile('../bundle/service/service-host.js'),
      icon: (name) => builtFile(`../../main/icons/${name}`),
    },
  })

const command = commandArguments(process.argv.slice(1))
const run = command === null ? runWindow() : runCommand(command)
run.catch(stopWith)
