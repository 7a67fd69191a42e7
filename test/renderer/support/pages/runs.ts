import type { Locator, Page } from 'playwright'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { Console } from '../console.ts'
import { drawerPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

/** Returns a run report with defaults. */
export const report = (overrides: Partial<RunReport> = {}): RunReport => ({
  provider: 'openai',
  model: 'gpt-4o',
  status: 'ok',
  latency_ms: 840,
  ...overrides,
})

/** Creates a separate workspace with these runs, oldest first, so that tests are independent. */
export async function workspaceWith(
  console: Console,
  name: string,
  runs: readonly Partial<RunReport>[],
): Promise<{
  slug: string
  ids: readonly number[]
  report(...more: Partial<RunReport>[]): Promise<readonly number[]>
}> {
  const client = console.server.client()
  const { slug } = (await client.workspaces.create({ body: { name } })).data
  const send = async (more: readonly Partial<RunReport>[]): Promise<number[]> => {
    if (more.length === 0) return []
    const body = more.map((fields) => report({ workspace_id: slug, ...fields }))
    const { data } = await client.runs.report({ body })
    return Array.isArray(data) ? data.map(({ id }) => id) : [data.id]
  }
  const ids = await send(runs)
  return { slug, ids, report: (...more) => send(more) }
}

export const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString()

export const runsPage = (page: Page) => {
  const table = tablePart(page, 'Runs')
  const drawer = drawerPart(page)
  return {
    ...table,
    drawer,
    filters: filterPart(page),
    waiting: page.getByRole('button', { name: /new runs?$/ }),
    empty: page.getByTestId('empty'),
    failure: page.getByTestId('error'),
    goto: (path = '') => openPath(page, `/runs${path}`),
    rowOf: (id: number): Locator => table.table.locator(`tr[data-row-id="${id}"]`),
    older: page.getByRole('button', { name: 'Older', exact: true }),
    newer: page.getByRole('button', { name: 'Newer', exact: true }),
    /** Returns the value of a label in the drawer. */
    fact: (label: string): Locator => drawer.drawer.locator(`dt:text-is("${label}") + dd`),
    async export(format: 'CSV' | 'JSON Lines'): Promise<void> {
      await page.getByRole('button', { name: 'Export formats' }).click()
      await page.getByRole('menuitem', { name: format }).click()
    },
    async choosePeriod(name: string): Promise<void> {
      await page.getByRole('button', { name: /^Period:/ }).click()
      await page.getByRole('button', { name, exact: true }).click()
    },
  }
}

/** Returns an error reply in the form of the service. */
export const problem = (status: number, code: string, title: string, requestId = 'request-1') => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    type: `urn:problem:${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: '/api/runs',
    code,
    request_id: requestId,
    error: `${title}.`,
  }),
})
