import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { canary, withProviders } from '../support/fixtures/providers.ts'
import { toast } from '../support/parts.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('Model providers', { timeout: patience }, () => {
  const fixture = withProviders()
  const { open, stored, reset } = fixture

  it('show each with its state, the reason and its calls through the gateway', async () => {
    const call = { source: 'gateway', provider: 'openai', model: 'gpt-4o', latency_ms: 800 }
    const body = [
      { ...call, status: 'ok' },
      { ...call, status: 'error' },
    ]
    expect(await fixture.console.server.call('POST /api/runs', { body })).toMatchObject({ status: 201 })
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
    await card.getByText('Ends in Wk3p, set').waitFor()
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
    await fixture.console.server.call('PUT /api/providers/openai', { body: { api_key: canary } })
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
    expect(await axeFaults(page, openDialog)).toEqual([])
    await form.save()
    const card = providers.card('OpenAI')
    await card.getByText('the key was deleted').waitFor()
    await card.getByText('Not set up').waitFor()
    expect(await stored('openai')).toMatchObject({ has_key: false, base_url: 'https://proxy.example.com/v1' })
    await card.getByRole('button', { name: 'Close' }).click()
    await providers.button('Reset OpenAI').click()
    await form.button('Reset').click()
    await toast(page, 'OpenAI reset to its defaults.').waitFor()
    await card.getByText('Default', { exact: true }).waitFor()
    await close()
  })

  it('show changes of another admin immediately, and ask before input is discarded', async () => {
    const { page, providers, close } = await open()
    const { form } = providers
    await fixture.console.server.call('PUT /api/providers/gemini', { body: { enabled: false } })
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
    const { token } = await fixture.console.server.signedIn('viewer', 'vera')
    const { page, close } = await fixture.console.visit(token)
    await openPath(page, '/providers')
    const refusal = page.getByTestId('forbidden')
    await refusal.getByText('This requires the role Admin; yours is Viewer.').waitFor()
    await refusal.getByText('Only admins can view and change').waitFor()
    expect(await shell(page).link('Model providers').count()).toBe(0)
    await close()
  })

  it('pass axe and fit 640 px', async () => {
    await fixture.console.server.call('PUT /api/providers/claude', { body: { api_key: canary } })
    const { page, providers, close } = await open()
    await providers.button('Test connection to Mock (offline)').click()
    await providers.card('Mock (offline)').getByText('Built into the service.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await providers.button('Set up OpenAI-compatible').click()
    await providers.form.key.waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Escape')
    await providers.form.dialog.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 640, height: 800 })
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    await eventually(overflow).toBeLessThanOrEqual(0)
    await close()
  })
})
