import { once } from 'node:events'
import type { Locator, Page } from 'playwright'
import WebSocket from 'ws'
import { serviceToken, type TestServer } from '../../../support/service.ts'
import { dialogPart, drawerPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

export type App = {
  readonly id: string
  readonly closed: Promise<number>
  send(frame: unknown): void
  disconnect(): Promise<void>
}

/** Connects an app like an SDK; resolves once it is listed. */
export async function connectApp(
  server: TestServer,
  app: string,
  hello: Record<string, unknown> = {},
  token = serviceToken,
): Promise<App> {
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/ws`, {
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'node' },
  })
  const closed = new Promise<number>((resolve) => {
    socket.on('close', resolve)
  })
  await once(socket, 'open')
  const send = (frame: unknown): void => socket.send(JSON.stringify(frame))
  send({ type: 'hello', client: 'node-sdk', app, ...hello })
  const [data] = await once(socket, 'message')
  const reply = JSON.parse(String(data))
  return {
    id: reply.client_id,
    closed,
    send,
    async disconnect() {
      socket.close()
      await closed
    },
  }
}

export const clientsPage = (page: Page) => {
  const table = tablePart(page, 'Clients')
  const drawer = drawerPart(page)
  return {
    ...table,
    drawer,
    dialog: dialogPart(page),
    filters: filterPart(page),
    empty: page.getByTestId('empty'),
    /** The panel above the list while only consoles are connected. */
    panel: page.getByTestId('connect'),
    connect: page.getByRole('button', { name: 'Connect an app' }).first(),
    showDisconnected: page.getByRole('switch', { name: 'Recently disconnected' }),
    waiting: page.getByRole('button', { name: /new clients?$/ }),
    goto: (path = '') => openPath(page, `/clients${path}`),
    client: (id: string): Locator => table.table.locator(`tr[data-row-id="${id}"]`),
    /** Returns the listed apps from top to bottom, without the consoles. */
    apps: async (): Promise<string[]> =>
      (await table.column(0)).filter((name) => !name.startsWith('console')),
    fact: (label: string): Locator => drawer.drawer.locator(`dt:text-is("${label}") + dd`),
    link: (name: string): Locator => drawer.drawer.getByRole('link', { name, exact: true }),
  }
}
