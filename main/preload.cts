import type { DesktopBridge, RemoteBridge } from '../contract/system/desktop.ts' with {
  'resolution-mode': 'import',
}
import type { Channel, openChannel, remoteArgument } from './page/channels.ts' with {
  'resolution-mode': 'import',
}

// A sandboxed preload is CommonJS and may require only Electron, so channel names are checked by type instead
// of imported.
const { contextBridge, ipcRenderer }: typeof import('electron') = require('electron')

const request = (channel: Channel, ...args: readonly unknown[]) => ipcRenderer.invoke(channel, ...args)
const openEvent: typeof openChannel = 'promptdeck:open'

let listener: ((path: string) => void) | null = null
let pendingPath: string | null = null
ipcRenderer.on(openEvent, (_event, path: unknown) => {
  if (typeof path !== 'string') return
  // A link may arrive before the console has started; the newest one counts.
  if (listener === null) pendingPath = path
  else listener(path)
})

const common = {
  state: () => request('promptdeck:state'),
  reportFailedRuns: (report: unknown) => request('promptdeck:report-failed-runs', report),
  showServers: () => request('promptdeck:show-servers'),
  onOpen(next: (path: string) => void) {
    listener = next
    if (pendingPath !== null) next(pendingPath)
    pendingPath = null
    return () => {
      if (listener === next) listener = null
    }
  },
}
const local: DesktopBridge = {
  ...common,
  choose: (choice) => request('promptdeck:choose', choice),
  openLogFolder: () => request('promptdeck:open-log-folder'),
}
const remote: RemoteBridge = { ...common, signIn: () => request('promptdeck:sign-in') }

// The shell refuses the other functions too, whoever calls them.
const isRemote = process.argv.includes('--promptdeck-remote' satisfies typeof remoteArgument)
contextBridge.exposeInMainWorld('promptdeck', isRemote ? remote : local)
