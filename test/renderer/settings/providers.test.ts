import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { providersPage } from '../support/pages/providers.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'

const canary = 'sk-proj-canary-of-the-console-Wk3p'
/** A simulated look-up, so that no test uses the network. */
const resolve = async (): Promise<string[]> => ['93.184.216.34']

describe('Model providers', { timeout: patience }, () => {
  let console: Console
  let admin: string
  let fake: Server
  let fakeUrl: string
  let status = 200
  beforeAll(async () => {
    fake = createServer((req, res) => {
      res.writeHead(status, { 'content-type': 'application/json' })
      const ids = ['fake-large', 'fake-small', `says ${req.headers.authorization}`].map((id) => ({ id }))
      res.end(JSON.stringify({ data: ids, error: { message: `bad key ${req.headers.authorization}` } }))
    }).listen(0, '127.0.0.1')
    await once(fake, 'listening')
    fakeUrl = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
    console = await openConsole({ substitutes: { resolve } })
    admin = (await console.server.signedIn('admin', 'edda')).token
  })
  afterAll(async () => {
    await console.close()
    fake.closeAllConnections()
    await new Promise((done) => fake.close(done))
  })

  const open = async (view = {}) => {
    const visit = await console.visit(admin, view)
    const providers = providersPage(visit.page)
    await providers.goto()
    await providers.card('OpenAI').waitFor()
    return { ...visit, providers }
  }
  const stored = async (name: string) => (await console.server.call(`GET /api/providers/${name}`)).body.data
  const reset = (name: string) => console.server.call(`DELETE /api/providers/${name}`)

  it('show each with its state, the reason and its calls through the gateway', async () => {
    const call = { source: 'gateway', provider: 'openai', model: 'gpt-4o', latency_ms: 800 }
    const body = [
      { ...call, status: 'ok' },
      { ...call, status: 'error' },
    ]
    expect(await console.server.call('POST /api/runs', { body })).toMatchObject({ status: 201 })
    const { page, providers, close } = await open()
    expect(await providers.cards.allInnerTexts()).toEqual([
      'Mock (offline)',
      'OpenAI',
      'Anthropic Claude',
      'Google Gemini',
      'Ollama',
      'OpenAI-compatible',
    ])
    await providers.card('Mock (offline)').getByText('Ready').waitFor()
    await providers.card('Mock (offline)').getByText('Built into the service').waitFor()
    const openai = providers.card('OpenAI')
    await openai.getByText('Not set up').waitFor()
    await openai.getByText('OpenAI has no API key; an admin must set it.').waitFor()
    await openai.getByText('Default', { exact: true }).waitFor()
    await providers.card('Ollama').getByText('Local').waitFor()
    await providers.card('Ollama').getByText('No calls').waitFor()
    const health = openai.getByRole('link', { name: /^2 calls, 1 \(50\s?%\) failed; latency/ })
    expect(await health.getAttribute('href')).toMatch(/source=.*gateway.*provider=.*openai/)
    await openai.getByRole('link', { name: /prices$/ }).click()
    await page.waitForURL(/\/settings#prices$/)
    await close()
  })

  it('accept a key by keyboard, show only its end, and let it be replaced and removed', async () => {
    const { page, providers, faults, close } = await open()
    const { form } = providers
    await providers.button('Set up OpenAI').focus()
    await page.keyboard.press('Enter')
    await form.key.waitFor()
    await eventually(() => form.key.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await form.key.getAttribute('type')).toBe('password')
    await page.keyboard.type('two words')
    await page.keyboard.press('Enter')
    await form.dialog.getByText('The key must not contain spaces.').waitFor()
    await form.key.fill(canary)
    await form.isKeyTested.uncheck()
    await form.key.press('Enter')
    await toast(page, 'OpenAI saved.').waitFor()
    const card = providers.card('OpenAI')
    await card.getByText('The key was saved without a test.').waitFor()
    await card.getByText('Not checked yet').waitFor()
    await card.getByRole('button', { name: 'Close' }).click()
    await card.getByText('Ends in Wk3p, set', { exact: false }).waitFor()
    await card.getByText('Changed by edda').waitFor()
    await providers.button('Edit OpenAI').focus()
    await page.keyboard.press('Enter')
    await form.dialog.getByText('A key is set. It ends in Wk3p.').waitFor()
    await form.button('Replace key').click()
    await eventually(() => form.key.evaluate((input) => input === document.activeElement)).toBe(true)
    expect(await form.key.inputValue()).toBe('')
    await form.button('Keep current key').click()
    await form.button('Remove key').click()
    await form.dialog.getByText('The key is removed when you save.').waitFor()
    expect(await stored('openai')).toMatchObject({ has_key: true })
    await form.save()
    await card.getByText('No API key. Add one to use this provider.').waitFor()
    expect(await stored('openai')).toMatchObject({ has_key: false })

    const storage = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
    expect(storage + (await page.content())).not.toContain(canary)
    expect(faults).toEqual([])
    await reset('openai')
    await close()
  })

  it('warn before and after that another host removes the key', async () => {
    await console.server.call('PUT /api/providers/openai', { body: { api_key: canary } })
    const { page, providers, close } = await open()
    const { form } = providers
    await providers.button('Edit OpenAI').click()
    await form.address.fill('https://api.openai.com/v2')
    expect(await form.keyWarning.count()).toBe(0)
    await form.address.fill('https://proxy.example.com/v1')
    await form.keyWarning.waitFor()
    await form.button('Replace key').click()
    await form.key.fill('sk-of-the-proxy')
    await form.keyWarning.waitFor({ state: 'detached' })
    await form.button('Keep current key').click()
    await form.keyWarning.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await form.save()
    const card = providers.card('OpenAI')
    await card.getByText('the key was deleted', { exact: false }).waitFor()
    await card.getByText('Not set up').waitFor()
    expect(await stored('openai')).toMatchObject({ has_key: false, base_url: 'https://proxy.example.com/v1' })
    await card.getByRole('button', { name: 'Close' }).click()
    await providers.button('Reset OpenAI').click()
    await form.button('Reset').click()
    await toast(page, 'OpenAI reset to its defaults.').waitFor()
    await card.getByText('Default', { exact: true }).waitFor()
    await close()
  })

  it('set up a local model server: refused until it is marked local, then its models are listed', async () => {
    const { page, providers, close } = await open()
    const { form } = providers
    await providers.button('Set up OpenAI-compatible').click()
    await form.address.fill('not an address')
    await form.button('Save').click()
    await form.dialog.getByText('Enter an address, such as https://host/v1.').waitFor()
    await form.address.fill(`${fakeUrl}/v1`)
    await form.button('Save').click()
    await form.dialog
      .getByText('only a provider that is marked as local can use it', { exact: false })
      .waitFor()
    await form.address.fill('http://169.254.169.254/')
    await form.isLocal.check()
    await form.button('Save').click()
    await form.dialog.getByText('is not allowed', { exact: false }).waitFor()
    await form.address.fill(`${fakeUrl}/v1`)
    // The new key is tested before it is saved.
    status = 401
    await form.key.fill(canary)
    await form.button('Save').click()
    await form.dialog
      .getByText('its test failed: The provider rejected the key (HTTP 401).', { exact: false })
      .waitFor()
    expect(await stored('openai-compatible')).toMatchObject({ has_key: false })
    status = 200
    await form.save()
    await toast(page, 'OpenAI-compatible saved. The provider accepted the key.').waitFor()
    const card = providers.card('OpenAI-compatible')
    await card.getByText('Ready', { exact: true }).waitFor()
    await card.getByText(/^Checked .*ms\.$/).waitFor()
    await card.getByText('Local').waitFor()

    await providers.button('Test connection to OpenAI-compatible').click()
    await card.getByText('Connected: 2 models found.', { exact: false }).waitFor()
    await providers.button('Use these models for OpenAI-compatible').click()
    await toast(page, 'OpenAI-compatible now lists 2 models.').waitFor()
    await card.getByText('fake-large, fake-small').waitFor()
    expect(await stored('openai-compatible')).toMatchObject({ models: ['fake-large', 'fake-small'] })

    status = 401
    await providers.button('Test connection to OpenAI-compatible').click()
    await card.getByText('Failing', { exact: true }).waitFor()
    await card.getByText('The provider rejected the key (HTTP 401).', { exact: false }).first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.goto('/')
    const failing = page
      .getByTestId('health')
      .getByRole('link', { name: 'provider OpenAI-compatible failing' })
    await failing.click()
    await card.getByText('Failing', { exact: true }).waitFor()
    status = 200
    expect(await page.content()).not.toContain(canary)

    await providers.button('Edit OpenAI-compatible').click()
    await form.defaultModel.fill('another')
    await form.concurrency.fill('0')
    await form.button('Save').click()
    await form.dialog.getByText('This model is not in the list above.').waitFor()
    await form.dialog.getByText('Enter a whole number from 1 to 1,000, or leave the field empty.').waitFor()
    await form.defaultModel.fill('fake-small')
    await form.concurrency.fill('2')
    await form.isEnabled.uncheck()
    await form.save()
    await card.getByText('Disabled', { exact: true }).waitFor()
    expect(await stored('openai-compatible')).toMatchObject({
      enabled: false,
      default_model: 'fake-small',
      concurrency: 2,
      has_key: true,
    })
    await reset('openai-compatible')
    await close()
  })

  it('are added with a name of their own, offered in the Playground, and deleted', async () => {
    const { page, providers, close } = await open()
    const { form } = providers
    await providers.button('Add provider').click()
    await eventually(() => form.label.evaluate((input) => input === document.activeElement)).toBe(true)
    await form.button('Add provider').click()
    await form.dialog.getByText('Enter a name.').waitFor()
    await form.label.fill('Team vLLM')
    await form.address.fill(`${fakeUrl}/v1`)
    await form.isLocal.check()
    await form.key.fill(canary)
    await form.models.fill('fake-small')
    expect(await axeFaults(page)).toEqual([])
    await form.button('Add provider').click()
    await toast(page, 'Team vLLM added.').waitFor()
    const card = providers.card('Team vLLM')
    await card.getByText('team-vllm').waitFor()
    await card.getByText('Ready', { exact: true }).waitFor()
    await page.goto('/playground')
    await page.getByRole('option', { name: 'Team vLLM' }).first().waitFor({ state: 'attached' })
    await providers.goto()
    await providers.button('Delete Team vLLM').click()
    await form.dialog.getByText('No agent uses it.', { exact: false }).waitFor()
    await form.button('Delete').click()
    await toast(page, 'Team vLLM deleted.').waitFor()
    await card.waitFor({ state: 'detached' })
    await close()
  })

  it('show changes of another admin immediately, and ask before input is discarded', async () => {
    const { page, providers, close } = await open()
    const { form } = providers
    await console.server.call('PUT /api/providers/gemini', { body: { enabled: false } })
    await providers.card('Google Gemini').getByText('Disabled', { exact: true }).waitFor()
    await providers.button('Set up Anthropic Claude').click()
    await form.key.fill('typed')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    await question.getByRole('button', { name: 'Discard' }).click()
    await eventually(() => page.getByRole('dialog').count()).toBe(0)
    expect(await stored('claude')).toMatchObject({ has_key: false, updated_at: null })
    await reset('gemini')
    await close()
  })

  it('are for admins; others see which role is required, and have no link', async () => {
    const { token } = await console.server.signedIn('viewer', 'vera')
    const { page, close } = await console.visit(token)
    await page.goto('/providers')
    const refusal = page.getByTestId('forbidden')
    await refusal.getByText('This requires the role Admin; yours is Viewer.', { exact: false }).waitFor()
    await refusal.getByText('Only admins can view and change', { exact: false }).waitFor()
    expect(await shell(page).link('Model providers').count()).toBe(0)
    await close()
  })

  it('pass axe and fit 640 px', async () => {
    await console.server.call('PUT /api/providers/claude', { body: { api_key: canary } })
    const { page, providers, close } = await open()
    await providers.button('Test connection to Mock (offline)').click()
    await providers.card('Mock (offline)').getByText('Built into the service.', { exact: false }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await providers.button('Set up OpenAI-compatible').click()
    await providers.form.key.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await providers.form.dialog.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 640, height: 800 })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await eventually(overflow).toBeLessThanOrEqual(0)
    await close()
  })
})

describe('A key that can no longer be read', { timeout: patience }, () => {
  it('is reported with the cause, and can be set again', async () => {
    const console = await openConsole({ substitutes: { resolve } })
    try {
      await console.server.call('PUT /api/providers/openai', { body: { api_key: canary } })
      await console.server.stop()
      await rm(join(console.server.dataDir, 'keys', 'providers.key'))
      await console.server.restart()
      const { token } = await console.server.signedIn('admin')
      const { page } = await console.visit(token)
      const providers = providersPage(page)
      await providers.goto()
      const card = providers.card('OpenAI')
      await card.getByText('Key cannot be read', { exact: true }).waitFor()
      await card.getByText('keys/providers.key is missing', { exact: false }).waitFor()
      await providers.button('Edit OpenAI').click()
      await providers.form.dialog.getByText('A key was set, but it cannot be read. Enter it again.').waitFor()
      await providers.form.key.fill('sk-again-9999')
      await providers.form.isKeyTested.uncheck()
      await providers.form.save()
      await card.getByText('Not checked yet').waitFor()
    } finally {
      await console.close()
    }
  })
})
