import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { type Desktop, type DesktopOptions, patience, startDesktop } from '../support/desktop.ts'

/** A data folder with its first admin. Copies avoid hashing a password, the slowest part of a first start. */
let preparedDataDir: string

const open: { close(): Promise<void> }[] = []

/** Starts the app, which starts its own service; by default with a copy of the prepared data folder. */
export async function start({ dataDir, ...options }: DesktopOptions = {}): Promise<Desktop> {
  const ownDataDir = dataDir ?? (await mkdtemp(join(tmpdir(), 'promptdeck-data-')))
  if (dataDir === undefined) {
    await cp(preparedDataDir, ownDataDir, { recursive: true })
    open.push({ close: () => rm(ownDataDir, { recursive: true, force: true }) })
  }
  const desktop = await startDesktop({ ...options, dataDir: ownDataDir })
  open.push(desktop)
  return desktop
}

/** Starts a service that the app did not start. */
export async function serve(...args: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await startTestServer(...args)
  open.push(server)
  return server
}

/** Returns true if a service is available. */
export const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Prepares a data folder before the tests of the calling file and removes it after them. Closes apps and
 * services after each test. Sets the time limit of the tests.
 */
export function setUpDesktop(): void {
  vi.setConfig({ testTimeout: patience })
  beforeAll(async () => {
    preparedDataDir = await mkdtemp(join(tmpdir(), 'promptdeck-made-'))
    const server = await startTestServer({ dataDir: preparedDataDir })
    await server.close()
  })
  afterAll(() => rm(preparedDataDir, { recursive: true, force: true }))
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })
}
