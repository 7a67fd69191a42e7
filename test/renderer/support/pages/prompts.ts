import { once } from 'node:events'
import type { Locator, Page } from 'playwright'
import WebSocket from 'ws'
import { serviceToken, type TestServer } from '../../../support/service.ts'
import { dialogPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

export type WatchingApp = {
  /** The versions that the service announced, in order. */
  readonly versions: readonly string[]
  /** Acknowledges a version. */
  ack(version: string): void
  close(): Promise<void>
}

type Watch = {
  readonly app: string
  readonly key: string
  readonly env: string
  /** Slug of the workspace; by default `default`. */
  readonly workspace?: string
  /** True (default) if it acknowledges each version automatically, like an SDK. */
  readonly isAcking?: boolean
}

/** Connects an app that watches one key on a real socket. */
export async function watchPrompt(server: TestServer, watch: Watch): Promise<WatchingApp> {
  const { app, key, env, isAcking = true } = watch
  const socket = new WebSocket(`${server.url.replace(/^http/, 'ws')}/ws`, {
    headers: { authorization: `Bearer ${serviceToken}` },
  })
  const versions: string[] = []
  await once(socket, 'open')
  const ack = (version: string, seq = 0): void =>
    socket.send(JSON.stringify({ type: 'ack', seq, key, version }))
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data))
    if (frame.key !== key || typeof frame.version !== 'string') return
    versions.push(frame.version)
    if (isAcking) ack(frame.version, frame.seq)
  })
  const target = { namespace: env, ...(watch.workspace === undefined ? {} : { workspace: watch.workspace }) }
  const hello = { type: 'hello', client: 'node-sdk', app, ...target, keys: [key], instance_id: `${app}-1` }
  const accepted = once(socket, 'message')
  socket.send(JSON.stringify(hello))
  await accepted
  return {
    versions,
    ack,
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** Page object for the list of prompts, its folders and its dialogs. */
export const promptsPage = (page: Page) => {
  const table = tablePart(page, 'Prompts')
  const tree = page.getByRole('tree', { name: 'Folders' })
  return {
    ...table,
    tree,
    filters: filterPart(page),
    dialog: dialogPart(page),
    create: page.getByRole('button', { name: 'Create prompt' }).first(),
    import: page.getByRole('button', { name: 'Import', exact: true }).first(),
    empty: page.getByTestId('empty'),
    goto: (search = '') => openPath(page, `/prompts${search}`),
    folder: (name: string): Locator => tree.getByRole('treeitem', { name }),
    folders: (): Promise<string[]> =>
      tree
        .getByRole('treeitem')
        .evaluateAll((items) => items.map((item) => item.textContent?.replace(/\s+/g, ' ') ?? '')),
    keys: (): Promise<string[]> => table.column(0),
    async menu(key: string, item: string): Promise<void> {
      await table
        .row(key)
        .getByRole('button', { name: `Actions for ${key}` })
        .click()
      await page.getByRole('menuitem', { name: item }).click()
    },
  }
}

/** Page object for one prompt: its header, its tabs, its dialogs. */
export const promptPage = (page: Page) => {
  const dialog = dialogPart(page)
  const convergence = page.getByTestId('convergence').last()
  return {
    dialog,
    convergence,
    goto: (id: string, search = '') => openPath(page, `/prompts/${id}${search}`),
    status: page.getByTestId('status'),
    prodLine: page.getByTestId('prod-line'),
    save: page.getByRole('button', { name: 'Save draft' }),
    publish: page.getByRole('button', { name: 'Publish', exact: true }),
    tab: (name: string): Locator => page.getByRole('tab', { name, exact: true }),
    content: page.getByTestId('template').getByRole('textbox', { name: 'Content' }),
    preview: page.getByRole('region', { name: 'Preview' }),
    sample: (name: string): Locator => page.getByRole('textbox', { name: `Sample value of ${name}` }),
    version: (version: string): Locator => page.locator(`li[data-version="${version}"]`),
    diff: page.getByTestId('diff'),
    merging: page.getByTestId('merging'),
    env: (name: string): Locator => page.getByTestId('promotion').locator(`[data-env="${name}"]`),
    headline: convergence.getByTestId('convergence-headline'),
    bar: convergence.getByTestId('convergence-bar'),
    figures: convergence.getByTestId('convergence-figures'),
    /** Replaces the whole text by keyboard. */
    async write(text: string): Promise<void> {
      const content = page.getByTestId('template').getByRole('textbox', { name: 'Content' })
      await content.click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
    },
  }
}
