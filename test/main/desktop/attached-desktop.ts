import { afterAll, afterEach, beforeAll } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { type Desktop, type DesktopOptions, startDesktop } from '../support/desktop.ts'

/** One service for all tests, which only concern the shell. */
let server: TestServer

const open: Desktop[] = []

/** Starts the app, which uses the service. */
export async function start({ args = ['.'], ...options }: DesktopOptions = {}): Promise<Desktop> {
  const desktop = await startDesktop({ ...options, args: [...args, `--attach=${server.url}`] })
  open.push(desktop)
  return desktop
}

/** Starts a service before the tests of the calling file. Closes the apps after each test. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })
}
