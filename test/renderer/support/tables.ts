import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { allowClipboard, clipboardText } from './clipboard.ts'
import { type Console, openConsole } from './console.ts'
import { runsPage } from './pages/runs.ts'

export type Tables = {
  readonly console: Console
  readonly admin: string
  /** One browser profile for all tests; each opens the console anew, with the pointer outside. */
  readonly visit: Visit
  runsAt(path: string): Promise<{
    readonly page: Visit['page']
    readonly runs: ReturnType<typeof runsPage>
    readonly search: () => URLSearchParams
  }>
  clipboard(): Promise<string>
}

/**
 * Creates the fixture for tests of tables: a console with an admin. Column and density settings are reset
 * after each test.
 */
export function withTables(): Tables {
  let console: Console
  let admin: string
  let visit: Visit
  beforeAll(async () => {
    console = await openConsole()
    admin = await console.server.login('admin', 'admin')
    visit = await console.visitForFile(admin)
    await allowClipboard(visit.page)
  })
  afterEach(async () => {
    expect(visit.faults).toEqual([])
    const isStored = await visit.page.evaluate(() => {
      const keys = Object.keys(localStorage).filter((key) => /columns|density/.test(key))
      for (const key of keys) localStorage.removeItem(key)
      return keys.length > 0
    })
    // The console has them in memory too.
    if (isStored) await visit.page.goto('/favicon.svg')
  })
  afterAll(() => console.close())
  return {
    get console() {
      return console
    },
    get admin() {
      return admin
    },
    get visit() {
      return visit
    },
    async runsAt(path) {
      const { page } = visit
      await page.mouse.move(0, 0)
      const runs = runsPage(page)
      await runs.goto(path)
      return { page, runs, search: () => new URL(page.url()).searchParams }
    },
    clipboard: () => clipboardText(visit.page),
  }
}
