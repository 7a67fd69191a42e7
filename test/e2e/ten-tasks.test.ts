import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Substitutes } from '../../server/index.ts'
import { eventually, type OpenedConsole, openConsole, patience } from '../renderer/support/console.ts'
import { type ListingProvider, startListingProvider } from '../renderer/support/fixtures/listing-provider.ts'
import { auditPage } from '../renderer/support/pages/audit.ts'
import { clientsPage, connectApp } from '../renderer/support/pages/clients.ts'
import { overviewPage } from '../renderer/support/pages/overview.ts'
import { providersPage } from '../renderer/support/pages/providers.ts'
import { report, runsPage } from '../renderer/support/pages/runs.ts'
import { statisticsPage } from '../renderer/support/pages/statistics.ts'
import { palettePart } from '../renderer/support/palette.ts'
import { dialogPart, drawerPart } from '../renderer/support/parts.ts'
import { localTime, performTask, type Task } from './support/tasks.ts'

describe('A new user answers each question in at most four actions', { timeout: patience }, () => {
  let console: OpenedConsole
  let admin: string
  let provider: ListingProvider
  let acceptedKey = ''
  /** Milliseconds by which the clock of the service differs from that of the machine. */
  let offsetMs = 0
  const substitutes: Substitutes = { clock: { now: () => new Date(Date.now() + offsetMs) } }

  beforeAll(async () => {
    provider = await startListingProvider((authorization) =>
      authorization === `Bearer ${acceptedKey}`
        ? { status: 200, body: { data: [{ id: 'model-a' }] } }
        : { status: 401, body: { error: { message: 'bad key' } } },
    )
    // The middle of last month has one change.
    const middle = localTime(0, 12)
    middle.setDate(0)
    middle.setDate(15)
    offsetMs = middle.getTime() - Date.now()
    console = await openConsole({ substitutes })
    await createPrompt('old/prompt', 'Written last month')
    offsetMs = 0
    admin = (await console.server.signedIn('admin', 'ada')).token
  })
  afterAll(async () => {
    await console.close()
    await provider.close()
  })

  const call = async (what: string, body: object, token?: string) => {
    const reply = await console.server.call(what, { body, ...(token !== undefined && { token }) })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body.data
  }
  const createPrompt = (key: string, content: string, token?: string) =>
    call('POST /api/prompts', { key, env: 'prod', content }, token)
  /** Publishes a second version as the user with this name. Returns the id of the prompt. */
  async function changedPrompt(key: string, username: string): Promise<string> {
    const { id } = await createPrompt(key, 'Hello {{name}}, how can I help?')
    const { token } = await console.server.signedIn('admin', username)
    await call(`PATCH /api/prompts/${id}`, { content: 'Go away, {{name}}' }, token)
    await call(`POST /api/prompts/${id}/publish`, { message: 'Shorter' }, token)
    return id
  }
  const servedText = async (key: string): Promise<string> =>
    (await console.server.call(`GET /api/sdk/prompts/${encodeURIComponent(key)}?env=prod`)).body.content

  const perform = (task: (given: Task) => Promise<void>) => performTask(console, admin, task)

  it('why were there errors at 15:00 yesterday?', async () => {
    const at = localTime(1, 15).toISOString()
    await call('POST /api/runs', [
      report({ created_at: localTime(1, 11).toISOString() }),
      ...Array.from({ length: 8 }, () =>
        report({ created_at: at, status: 'error', error: 'the quota of the month is used up' }),
      ),
    ])
    await perform(async ({ page, act }) => {
      await act.click(page.getByRole('button', { name: /^Period:/ }))
      await act.click(page.getByRole('button', { name: 'Yesterday', exact: true }))
      const overview = overviewPage(page)
      await eventually(() => overview.buckets()).toBe(24)
      const box = await page.locator('[data-plot="runs"]').boundingBox()
      if (box === null) throw new Error('the chart of runs is not on the page')
      await act.clickAt(box.x + (box.width * 15.5) / 24, box.y + box.height / 2)
      const runs = runsPage(page)
      await eventually(() => runs.rows.count()).toBe(8)
      await act.click(runs.rows.first().locator('td[data-col]').first())
      await runs.drawer.drawer.getByText('the quota of the month is used up').first().waitFor()
    })
  })

  it('who changed a prompt last? Restore it', async () => {
    await changedPrompt('support/greeting', 'edda')
    await perform(async ({ page, act }) => {
      const change = overviewPage(page).list('Latest changes').getByRole('link').first()
      await change.getByText('edda', { exact: true }).waitFor()
      await act.click(change.filter({ hasText: 'support/greeting' }))
      await drawerPart(page).drawer.getByText('edda', { exact: true }).first().waitFor()
      await act.click(drawerPart(page).action('Restore…'))
      await act.click(dialogPart(page).button('Roll back to v1'))
      await eventually(() => servedText('support/greeting')).toContain('how can I help?')
      await page.getByText('Restored the prompt support/greeting').waitFor()
    })
  })

  it('what changed between two versions? Roll back', async () => {
    await changedPrompt('sales/offer', 'sven')
    await perform(async ({ page, act }) => {
      await act.press('ControlOrMeta+k')
      await palettePart(page).field.waitFor()
      await act.type('roll back sales/offer')
      await act.click(palettePart(page).option('Roll back sales/offer in prod'))
      const { dialog, button } = dialogPart(page)
      await dialog.getByText('Go away', { exact: false }).first().waitFor()
      await dialog.getByText('how can I help', { exact: false }).first().waitFor()
      await act.click(button('Roll back to v1'))
      await dialog.getByText('sales/offer rolled back to v1. v3 is live.').waitFor()
      expect(await servedText('sales/offer')).toContain('how can I help?')
    })
  })

  it('which call is this complaint about?', async () => {
    await call('PATCH /api/settings', { capture: 'full' })
    await call('POST /api/runs', [
      report({ input: 'Where is my parcel?', output: 'It is on its way.' }),
      report({ input: 'The refund of order 4711 never arrived', output: 'Please wait.' }),
    ])
    await perform(async ({ page, act }) => {
      await act.press('ControlOrMeta+k')
      await palettePart(page).field.waitFor()
      await act.type('refund of order 4711')
      await act.click(palettePart(page).option(/order 4711/))
      const { drawer } = drawerPart(page)
      await drawer.getByText('The refund of order 4711 never arrived').first().waitFor()
      await drawer.getByText('Please wait.').first().waitFor()
    })
  })

  it('what does each workspace cost this month?', async () => {
    const { slug } = await call('POST /api/workspaces', { name: 'Team Blue' })
    await call('POST /api/runs', [report({ workspace_id: slug, cost_usd: 12.5 })])
    await perform(async ({ page, act, link }) => {
      await link('Statistics')
      await act.click(page.getByText('Cost by workspace this month', { exact: true }))
      const { rows } = statisticsPage(page)
      await eventually(async () => (await rows()).find((row) => row.includes('Team Blue'))).toMatch(
        /\$12\.50/,
      )
    })
  })

  it('which clients have an old version?', async () => {
    const id = await changedPrompt('shop/answer', 'olga')
    const app = await connectApp(console.server, 'late-shop', {
      namespace: 'prod',
      keys: ['shop/answer'],
    })
    app.send({ type: 'ack', seq: 0, key: 'shop/answer', version: 'v1' })
    await perform(async ({ page, act, link }) => {
      await link('Clients')
      await act.click(
        page
          .getByRole('navigation', { name: 'Clients by state' })
          .getByRole('link', { name: /^Outdated prompt/ }),
      )
      await eventually(() => clientsPage(page).apps()).toEqual(['late-shop'])
    })
    await app.disconnect()
    await console.server.call(`DELETE /api/prompts/${id}`)
  })

  it('rotate the key of a provider and test it', async () => {
    acceptedKey = 'sk-the-first-key'
    await call('PUT /api/providers/openai-compatible', {
      base_url: provider.url,
      local: true,
      api_key: acceptedKey,
      models: ['model-a'],
    })
    acceptedKey = 'sk-the-second-key'
    await perform(async ({ page, act, link }) => {
      await link('Model providers')
      const providers = providersPage(page)
      await act.click(providers.button('Replace key of OpenAI-compatible'))
      await eventually(() => providers.form.key.evaluate((field) => field === document.activeElement)).toBe(
        true,
      )
      await act.type(acceptedKey)
      await act.press('Enter')
      await page.getByText('OpenAI-compatible saved. The provider accepted the key.').waitFor()
      await providers.card('OpenAI-compatible').getByText('Ready').waitFor()
    })
  })

  it('create a token for an app', async () => {
    await perform(async ({ page, act, link }) => {
      await link('API tokens')
      await act.click(page.getByRole('button', { name: 'Create API token' }).first())
      await dialogPart(page).field('Name').waitFor()
      await eventually(() =>
        dialogPart(page)
          .field('Name')
          .evaluate((field) => field === document.activeElement),
      ).toBe(true)
      await act.type('checkout')
      await act.press('Enter')
      const secret = page.getByLabel('API token', { exact: true })
      await secret.waitFor()
      const me = await console.server.call('GET /api/me', { token: await secret.inputValue() })
      expect(me.body).toMatchObject({ username: 'checkout' })
    })
  })

  it("export last month's audit log", async () => {
    await perform(async ({ page, act, link }) => {
      await link('Audit')
      await auditPage(page).rows.first().waitFor()
      await act.click(page.getByRole('button', { name: /^Period:/ }))
      await act.click(page.getByRole('button', { name: 'Last month', exact: true }))
      await eventually(async () => (await auditPage(page).sentences()).at(0)).toContain('old/prompt')
      const downloaded = page.waitForEvent('download')
      await act.click(page.getByRole('button', { name: 'Export CSV' }))
      const text = await readFile(await (await downloaded).path(), 'utf8')
      expect(text).toContain('old/prompt')
      expect(text).not.toContain('ada')
    })
  })

  it('which call of today was the slowest?', async () => {
    await call('POST /api/runs', [
      report({ latency_ms: 45_600, ref_key: 'slow/one' }),
      report({ latency_ms: 120, ref_key: 'quick/one' }),
    ])
    await perform(async ({ page, act, link }) => {
      await link('Runs')
      await act.click(page.getByRole('button', { name: /^Period:/ }))
      await act.click(page.getByRole('button', { name: 'Today', exact: true }))
      const runs = runsPage(page)
      await act.click(runs.table.getByRole('columnheader', { name: 'Latency' }).getByRole('button'))
      await eventually(() => runs.rows.first().innerText()).toMatch(
        /slow\/one[\s\S]*45\.6 s|slow\/one[\s\S]*46 s/,
      )
    })
  })
})
