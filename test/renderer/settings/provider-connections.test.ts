import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { type ListingProvider, startListingProvider } from '../support/fixtures/listing-provider.ts'
import { canary, withProviders } from '../support/fixtures/providers.ts'
import { toast } from '../support/parts.ts'
import { followPath } from '../support/warm.ts'

describe('Model providers and their connections', { timeout: patience }, () => {
  const fixture = withProviders()
  const { open, stored, reset } = fixture
  let server: ListingProvider
  let status = 200
  beforeAll(async () => {
    server = await startListingProvider((authorization) => {
      const data = ['fake-large', 'fake-small', `says ${authorization}`].map((id) => ({ id }))
      return { status, body: { data, error: { message: `bad key ${authorization}` } } }
    })
  })
  afterAll(() => server.close())

  it('set up a local model server: refused until it is marked local, then its models are listed', async () => {
    const { page, providers, close } = await open()
    const { form } = providers
    await providers.button('Set up OpenAI-compatible').click()
    await form.address.fill('not an address')
    await form.button('Save').click()
    await form.dialog.getByText('Enter an address, such as https://host/v1.').waitFor()
    await form.address.fill(server.url)
    await form.button('Save').click()
    await form.dialog.getByText('only a provider that is marked as local can use it').waitFor()
    await form.address.fill('http://169.254.169.254/')
    await form.isLocal.check()
    await form.button('Save').click()
    await form.dialog.getByText('is not allowed').waitFor()
    await form.address.fill(server.url)
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
    await card.getByText('Connected: 2 models found.').waitFor()
    await providers.button('Use these models for OpenAI-compatible').click()
    await toast(page, 'OpenAI-compatible now lists 2 models.').waitFor()
    await card.getByText('fake-large, fake-small').waitFor()
    expect(await stored('openai-compatible')).toMatchObject({ models: ['fake-large', 'fake-small'] })

    status = 401
    await providers.button('Test connection to OpenAI-compatible').click()
    await card.getByText('Failing', { exact: true }).waitFor()
    await card.getByText('The provider rejected the key (HTTP 401).', { exact: false }).first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await followPath(page, '/')
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
    await form.address.fill(server.url)
    await form.isLocal.check()
    await form.key.fill(canary)
    await form.models.fill('fake-small')
    expect(await axeFaults(page)).toEqual([])
    await form.button('Add provider').click()
    await toast(page, 'Team vLLM added.').waitFor()
    const card = providers.card('Team vLLM')
    await card.getByText('team-vllm').waitFor()
    await card.getByText('Ready', { exact: true }).waitFor()
    await followPath(page, '/playground')
    await page.getByRole('option', { name: 'Team vLLM' }).first().waitFor({ state: 'attached' })
    await providers.goto()
    await providers.button('Delete Team vLLM').click()
    await form.dialog.getByText('No agent uses it.').waitFor()
    await form.button('Delete').click()
    await toast(page, 'Team vLLM deleted.').waitFor()
    await card.waitFor({ state: 'detached' })
    await close()
  })

  it('whose key can no longer be read are reported with the cause, and can be set again', async () => {
    await fixture.console.server.call('PUT /api/providers/openai', { body: { api_key: canary } })
    await fixture.console.server.stop()
    await rm(join(fixture.console.server.dataDir, 'keys', 'providers.key'))
    await fixture.console.server.restart()
    const { providers, close } = await open()
    const card = providers.card('OpenAI')
    await card.getByText('Key cannot be read', { exact: true }).waitFor()
    await card.getByText('keys/providers.key is missing').waitFor()
    await providers.button('Edit OpenAI').click()
    await providers.form.dialog.getByText('A key was set, but it cannot be read. Enter it again.').waitFor()
    await providers.form.key.fill('sk-again-9999')
    await providers.form.isKeyTested.uncheck()
    await providers.form.save()
    await card.getByText('Not checked yet').waitFor()
    await close()
  })
})
