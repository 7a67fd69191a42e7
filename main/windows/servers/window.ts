import { z } from 'zod'
import { serversAction, serversView } from '../../page/channels.ts'
import type { IpcPart } from '../../page/ipc.ts'
import { flowActions, type ServersFlow } from '../../servers/flow.ts'
import type { View } from '../../servers/views.ts'
import type { ElectronParts, WindowPart } from '../electron-parts.ts'
import { serversWindowOptions } from '../window.ts'
import { pageUrl, viewHtml } from './page.ts'

export type ServersWindow = {
  /** Shows the window in front. */
  open(): void
  /** Shows a view, if the window is open. */
  show(view: View): void
  close(): void
}

type Options = {
  readonly electron: Pick<ElectronParts, 'createWindow'>
  readonly ipc: IpcPart
  readonly preload: string
  readonly icon: string
  readonly flow: () => ServersFlow
  readonly writeLog: (line: string) => void
}

const Request = z.tuple([
  z.enum(flowActions),
  z.record(z.string().max(40), z.string().max(2_000)).refine((fields) => Object.keys(fields).length <= 12),
])

/** The window in which a person connects to servers and switches between them. */
export function createServersWindow(options: Options): ServersWindow {
  const { electron, ipc, preload, icon, flow, writeLog } = options
  let window: WindowPart | null = null

  const create = (): WindowPart => {
    const created = electron.createWindow(serversWindowOptions(preload, icon))
    window = created
    const { webContents } = created
    // The window never navigates, because the preload replaces the content of the page.
    for (const event of ['will-navigate', 'will-redirect', 'will-frame-navigate'] as const)
      webContents.on(event, (navigation) => navigation.preventDefault())
    webContents.on('will-attach-webview', (event) => event.preventDefault())
    webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    created.once('ready-to-show', () => created.show())
    created.on('closed', () => {
      if (window !== created) return
      window = null
      flow().stop()
    })
    created.loadURL(pageUrl).catch((error: unknown) => writeLog(`the page did not load: ${String(error)}`))
    return created
  }

  ipc.handle(serversAction, (event, ...args) => {
    const isPage =
      window !== null && event.sender === window.webContents && event.senderFrame?.parent === null
    if (!isPage) throw new Error(`${serversAction}: not allowed for this page`)
    const { data } = Request.safeParse(args)
    if (data === undefined) throw new Error(`${serversAction}: invalid arguments`)
    const failed = (error: unknown) => {
      writeLog(`an action of the servers window failed: ${String(error)}`)
      throw error
    }
    return flow()
      .act(...data)
      .catch(failed)
  })

  return {
    open() {
      const current = window ?? create()
      if (current.isMinimized()) current.restore()
      current.show()
      current.focus()
    },
    show: (view) => window?.webContents.send(serversView, viewHtml(view)),
    close() {
      window?.destroy()
    },
  }
}
