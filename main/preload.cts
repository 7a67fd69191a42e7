import type { DesktopBridge } from '../contract/system/desktop.ts' with { 'resolution-mode': 'import' }
import type { Channel, openChannel } from './page/channels.ts' with { 'resolution-mode': 'import' }

// A sandboxed preload is CommonJS and may require only Electron, so channel names are checked by type instead
// of imported.
const { contextBridge, ipcRenderer }: typeof import('electron') = require('electron')

const ask = (channel: Channel, ...given: readonly unknown[]) => ipcRenderer.invoke(channel, ...given)
const opened: typeof openChannel = 'promptdeck:open'

let listener: ((path: string) => void) | null = null
let waiting: string | null = null
ipcRenderer.on(opened, (_event, path: unknown) => {
  if (typeof path !== 'string') return
  // A link may arrive before the console has started; the newest one counts.
  if (listener === null) waiting = path
  else listener(path)
})

const bridge: DesktopBridge = {
  state: () => ask('promptdeck:state'),
  choose: (choice) => ask('promptdeck:choose', choice),
  openLogFolder: () => ask('promptdeck:open-log-folder'),
  reportFailedRuns: (report) => ask('promptdeck:report-failed-runs', report),
  onOpen(next) {
    listener = next
    if (waiting !== null) next(waiting)
    waiting = null
    return () => {
      if (listener === next) listener = null
    }
  },
}
contextBridge.exposeInMainWorld('promptdeck', bridge)
