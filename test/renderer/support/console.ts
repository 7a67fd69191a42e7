import { expect } from 'vitest'
import { createVisitor, sharedBrowser, type View, type Visit, type Visitor } from '../../support/browser.ts'
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
  close(): Promise<void>
}

/** The reset pages of the previous file and the port of its service. */
let spare: { readonly visitor: Visitor; readonly port: string } | undefined

/**
 * Starts the real service with the built console, and a real Chromium. The service gets the port of that of the previous
 * file if it is free, because the console is then still open in the pages of that file, and is not loaded again.
 */
export async function openConsole(options: TestServerOptions = {}): Promise<Console> {
  const [previous, browser] = [spare, await sharedBrowser()]
  spare = undefined
  const server = await startAt(previous?.port ?? '0', options)
  const { port } = new URL(server.url)
  const isAtPort = previous?.port === port
  if (!isAtPort) await previous?.visitor.close()
  const visitor = previous !== undefined && isAtPort ? previous.visitor : createVisitor(browser, resetConsole)
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
      await visitor.closeAll()
      await server.close()
      if (spare === undefined) spare = { visitor, port }
      else await visitor.close()
    },
  }
}

async function startAt(port: string, options: TestServerOptions): Promise<TestServer> {
  const start = (PORT: string) => startTestServer({ ...options, env: { PORT, ...options.env } })
  // Another process may have the port now.
  return start(port).catch((error: unknown) => (port === '0' ? Promise.reject(error) : start('0')))
}
