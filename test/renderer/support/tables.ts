import { afterEach, beforeAll } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { allowClipboard, clipboardText } from './clipboard.ts'
import type { Console } from './console.ts'
import { asAdmin, withSharedPage } from './fixtures/shared-page.ts'
import { runsPage } from './pages/runs.ts'

export type Tables = {
  readonly console: Console
  readonly admin: string
  /** One browser profile for all tests; each loads the console, with the pointer outside. */
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
  const shared = withSharedPage(asAdmin)
  beforeAll(() => allowClipboard(shared.visit.page))
  afterEach(async () => {
    const { page } = shared.visit
    const isStored = await page.evaluate(() => {
      const keys = Object.keys(localStorage).filter((key) => /columns|density/.test(key))
      for (const key of keys) localStorage.removeItem(key)
      return keys.length > 0
    })
    // The console has them in memory too.
    if (isStored) await page.goto('/favicon.svg')
  })
  return {
    console: shared.console,
    get admin() {
      return shared.token
    },
    get visit() {
      return shared.visit
    },
    async runsAt(path) {
      const { page, part: runs, search } = await shared.open(runsPage, path)
      return { page, runs, search }
    },
    clipboard: () => clipboardText(shared.visit.page),
  }
}
