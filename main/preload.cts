import type { DesktopBridge } from '../contract/system/desktop.ts' with { 'resolution-mode': 'import' }
import type { Channel, openChannel } from './page/channels.ts' with { 'resolution-mode': 'import' }

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

const bridge: DesktopBridge = {
  state: () => request('promptdeck:state'),
  choose: (choice) => request('promptdeck:choose', choice),
  openLogFolder: () => request('promptdeck:open-log-folder'),
  reportFailedRuns: (report) => request('promptdeck:report-failed-runs', report),
  onOpen(next) {
    listener = next
    if (pendingPath !== null) next(pendingPath)
    pendingPath = null
    return () => {
      if (listener === next) listener = null
    }
  },
}
contextBridge.exposeInMainWorld('promptdeck', bridge)
