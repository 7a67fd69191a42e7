import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSmallDisk, usualSegments } from '../../support/small-disk.mjs'
import { axeFaults } from '../support/axe.ts'
import { type OpenedConsole, openConsole, patience } from '../support/console.ts'
import { workspacesPage } from '../support/pages/workspaces.ts'
import { endWait, shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

const diskBytes = 48 * 1024 * 1024

describe('A store that refuses writes', { timeout: patience }, () => {
  let folder: string
  let freeSpace: Int32Array
  let console: OpenedConsole
  let admin: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptdeck-disk-'))
    freeSpace = (await createSmallDisk(folder, diskBytes)).cells
    console = await openConsole({
      dataDir: join(folder, 'data'),
      substitutes: { store: { tuning: usualSegments } },
    })
    admin = (await console.server.signedIn('admin', 'ada')).token
  })
  afterAll(async () => {
    await console.close()
    await rm(folder, { recursive: true })
  })

  it('because the disk is full is announced after the first refusal, on every page, until there is space', async () => {
    const { server } = console
    const { page, faults, close } = await console.visit(admin)
    const workspaces = workspacesPage(page)
    const banner = page.getByRole('status').filter({ hasText: 'The disk is full.' })
    await workspaces.goto()
    await workspaces.row('Default').waitFor()
    expect(await banner.count()).toBe(0)

    await server.stop()
    const taken = Atomics.exchange(freeSpace, 0, 0)
    await server.restart({ PORT: new URL(page.url()).port })
    await endWait(page)
    await shell(page).live.getByText('Live', { exact: true }).waitFor()
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('No room')
    await workspaces.dialog.button('Create workspace').click()
    await workspaces.dialog.dialog.getByRole('alert').waitFor()
    await banner.getByText('You can sign in, read, export and delete.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    // The input remains, and is sent once there is space.
    Atomics.add(freeSpace, 0, taken)
    await workspaces.dialog.button('Create workspace').click()
    await workspaces.row('No room').waitFor()
    await banner.waitFor({ state: 'detached' })
    const isOutage = (fault: string) => fault.startsWith('WebSocket connection')
    expect(faults.filter((fault) => !isOutage(fault))).toEqual([])
    await close()
  })

  it('is announced from the start, with its reason', async () => {
    const { page, close } = await console.visit(admin, { colorScheme: 'dark', width: 900 })
    for (const [status, text] of [
      ['store_full', 'The store has reached its limit (MAX_STORE_MB).'],
      ['store_unavailable', 'The store has failed.'],
    ] as const) {
      const health = { ok: status !== 'store_unavailable', status, version: '1', reason: text }
      await page.route('/health', (route) => route.fulfill({ json: health }))
      await openPath(page, '/runs')
      await shell(page).heading('Runs').waitFor()
      await page.getByRole('status').filter({ hasText: text }).waitFor()
      await page.unroute('/health')
    }
    await close()
  })
})
