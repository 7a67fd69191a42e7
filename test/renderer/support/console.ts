import { afterAll, beforeAll, expect } from 'vitest'
import { createVisitor, sharedBrowser, type View, type Visit } from '../../support/browser.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/service.ts'
import { putToken, resetConsole } from './warm.ts'

/** Time limit of a test in milliseconds: it starts a browser context and loads the console. */
export const patience = 60_000

/** Polls until a value is as expected, with time for a slow machine. */
export const eventually = <T>(read: () => T | Promise<T>): ReturnType<typeof expect.poll<T>> =>
  expect.poll(read, { timeout: 15_000, interval: 50 })

export type Console = {
  readonly server: TestServer
  /** Returns a page in an empty browser profile. What it opens is signed in if a token is given. */
  visit(token?: string | null, view?: View): Promise<Visit>
}

export type OpenedConsole = Console & { close(): Promise<void> }

/** Opens a console before the tests of the calling file or `describe`, and closes it after them. */
export function setUpConsole(options?: TestServerOptions): Console {
  let opened: OpenedConsole
  beforeAll(async () => {
    opened = await openConsole(options)
  })
  afterAll(() => opened.close())
  return {
    get server() {
      return opened.server
    },
    visit: (token, view) => opened.visit(token, view),
  }
}

/** Starts the real service with the built console, and a real Chromium. */
export async function openConsole(options: TestServerOptions = {}): Promise<OpenedConsole> {
  const [server, browser] = await Promise.all([startTestServer(options), sharedBrowser()])
  const visitor = createVisitor(browser, resetConsole)
  const visit: Console['visit'] = async (token = null, view = {}) => {
    const made = await visitor.visit(server.url, view)
    made.page.setDefaultTimeout(20_000)
    if (token !== null) await putToken(made.page, token)
    return made
  }
  return {
    server,
    visit,
    async close() {
      await visitor.close()
      await server.close()
    },
  }
}
