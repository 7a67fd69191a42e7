import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPrompts } from '../support/fixtures/prompts.ts'
import { watchPrompt } from '../support/pages/prompts.ts'
import { report } from '../support/pages/runs.ts'
import { expectNoDialog } from '../support/shell.ts'
import { followPath } from '../support/warm.ts'

/** Checks the page in a narrow window, where only tables and the text may be wider. */
async function expectNarrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 640, height: 900 })
  expect(await axeFaults(page, 'main')).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await page.setViewportSize({ width: 1440, height: 900 })
}

describe('Releasing a prompt', { timeout: patience }, () => {
  const fixture = withPrompts()
  const { add, edit, publish, served, open } = fixture

  it('publishes after showing the impact, reaches 3 of 3, rolls back and promotes', async () => {
    const { id } = await add('greet', { env: 'dev' })
    const watch = (app: string, more: { env?: string; isAcking?: boolean } = {}) =>
      watchPrompt(fixture.console.server, { app, key: 'greet', env: 'dev', ...more })
    const apps = await Promise.all(['checkout', 'storefront'].map((app) => watch(app)))
    const slow = await watch('mailer', { isAcking: false })
    const other = await watch('elsewhere', { env: 'prod' })
    const reports = Array.from({ length: 4 }, () =>
      report({ ref_key: 'greet', version: 'v1', env: 'dev', variables: ['name'] }),
    )
    await fixture.console.server.client().runs.report({ body: reports })
    const { page, prompt, faults, close } = await open(id)
    await prompt.write('Hello {{first_name}}\nNice to see you')
    // Unsaved text is saved by publishing.
    await prompt.publish.click()
    const { dialog } = prompt.dialog
    await dialog.getByText('3 connected clients').waitFor()
    await dialog.getByText('4 runs', { exact: true }).waitFor()
    const variables = dialog.getByRole('region', { name: 'Variables' })
    await variables.getByText('4 runs in the last 24 hours did not send').waitFor()
    expect((await variables.innerText()).replace(/\s+/g, ' ')).toContain('name in 4 runs')
    await eventually(() => dialog.locator('mark').allInnerTexts()).toEqual(['name', 'first_name'])
    expect(await axeFaults(page, openDialog)).toEqual([])
    expect((await served('greet', 'dev')).content).toBe('Hello {{name}}')

    await prompt.dialog.field('Message (optional)').fill('First name only')
    await prompt.dialog.button('Publish v2 in dev').click()
    await eventually(() => prompt.headline.innerText()).toBe('2 of 3 on v2')
    await prompt.convergence.getByText('mailer', { exact: true }).waitFor()
    expect(await prompt.bar.getAttribute('aria-valuenow')).toBe('2')
    slow.ack('v2')
    await eventually(() => prompt.headline.innerText()).toBe('3 of 3 on v2')
    await eventually(() => prompt.figures.innerText()).toMatch(/^median .+\n?.*slowest /s)
    expect(await prompt.bar.locator('[data-current]').count()).toBe(3)
    expect((await served('greet', 'dev')).content).toBe('Hello {{first_name}}\nNice to see you')
    expect(apps.map(({ versions }) => versions)).toEqual([['v2'], ['v2']])
    expect(other.versions).toEqual([])
    await prompt.dialog.button('Done').click()
    await prompt.status.filter({ hasText: 'v2 is live, no draft changes' }).waitFor()
    await prompt.status.filter({ hasText: '3 clients on v2' }).waitFor()

    await prompt.tab('Versions').click()
    await prompt.version('v2').getByText('First name only').waitFor()
    await prompt.version('v1').getByRole('button', { name: 'Roll back to v1' }).click()
    await dialog.getByText('goes live as a new version for 3 connected clients').waitFor()
    await eventually(() => dialog.locator('ins mark').allInnerTexts()).toEqual(['name'])
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompt.dialog.field('Message (optional)').fill('Too familiar')
    await page.keyboard.press('ControlOrMeta+Enter')
    await eventually(() => prompt.headline.innerText()).toBe('2 of 3 on v3')
    await prompt.dialog.button('Done').click()
    await prompt.version('v3').getByText('rolled back to v1').waitFor()
    expect((await served('greet', 'dev')).content).toBe('Hello {{name}}')

    await prompt.env('test').getByText('Does not exist yet').waitFor()
    await page.getByRole('button', { name: 'Promote to test' }).click()
    await dialog.getByText('does not exist in').waitFor()
    await prompt.dialog.button('Promote v3 to test').click()
    await dialog.getByText('No connected client uses this prompt').waitFor()
    await prompt.dialog.button('Done').click()
    await prompt.env('test').getByText('v1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Promote to test' }).hover()
    await page.getByRole('tooltip').filter({ hasText: 'The same version is already live in test' }).waitFor()
    expect((await served('greet', 'test')).content).toBe('Hello {{name}}')
    expect(faults).toEqual([])

    await followPath(page, '/audit?resource=prompt')
    const sentences = page.getByTestId('sentence')
    await sentences.first().waitFor()
    const shown = (await sentences.allInnerTexts()).map((text) =>
      text.replace(/\s+/g, ' ').replaceAll(' ,', ',').trim(),
    )
    expect(shown).toEqual([
      'edda promoted greet v3 from dev to test, as v1',
      'edda rolled greet back to v1 in dev, as v3 Too familiar',
      'edda published greet v2 in dev First name only',
      'edda changed the draft of greet in dev',
      'service-token created the prompt greet in dev and published v1',
    ])
    await sentences.nth(2).click()
    await page.getByRole('link', { name: 'Show changes' }).click()
    await eventually(() => prompt.diff.locator('mark').allInnerTexts()).toEqual(['name', 'first_name'])
    await Promise.all([...apps, slow, other].map((app) => app.close()))
    await close()
  })

  it('promotes versions that differ in parameters or type only', async () => {
    const { id, key } = await add('differs', { env: 'dev', content: 'user: Hi' })
    const { promptVersions, prompts } = fixture.console.server.client()
    await promptVersions.promote({ params: { id }, body: { env: 'test' } })
    const { page, prompt, close } = await open(id, '?tab=versions')
    const changes = [
      { params: { temperature: 0.9 } },
      { messages: [{ role: 'user' as const, content: 'Hi' }] },
    ]
    for (const [index, change] of changes.entries()) {
      const version = `v${index + 2}`
      await prompts.update({ params: { id }, body: change })
      await promptVersions.publish({ params: { id }, body: {} })
      await prompt.version(version).waitFor()
      await page.getByRole('button', { name: 'Promote to test' }).click()
      await prompt.dialog.button(`Promote ${version} to test`).click()
      await prompt.dialog.button('Done').click()
      expect(await served(key, 'test')).toMatchObject({ version, content: 'user: Hi', ...change })
    }
    await close()
  })

  it('names outdated clients and since when, and pushes again, also in a narrow window', async () => {
    const { id } = await add('push/me')
    const app = await watchPrompt(fixture.console.server, {
      app: 'sleeper',
      key: 'push/me',
      env: 'prod',
      isAcking: false,
    })
    app.ack('v1')
    const { page, prompt, close } = await open(id, '?tab=clients')
    await eventually(() => prompt.headline.innerText()).toBe('1 of 1 on v1')
    await edit(id, 'Changed')
    await publish(id)
    // The panel updates automatically.
    await eventually(() => prompt.headline.innerText()).toBe('0 of 1 on v2')
    const outdated = prompt.convergence.getByRole('list', { name: 'Outdated clients' })
    await outdated.getByText(/still on v1, for/).waitFor()
    await expectNarrow(page)
    expect(app.versions).toEqual(['v2'])
    await page.getByRole('button', { name: 'Push again' }).click()
    await page.getByTestId('toast').filter({ hasText: 'v2 pushed again to 1 client.' }).waitFor()
    await eventually(() => app.versions).toEqual(['v2', 'v2'])
    app.ack('v2')
    await eventually(() => prompt.headline.innerText()).toBe('1 of 1 on v2')
    await app.close()
    await eventually(() => prompt.headline.innerText()).toBe('No connected client uses this prompt')
    await page
      .getByRole('table', { name: 'Disconnected in the last hour' })
      .getByText('sleeper', { exact: true })
      .waitFor()
    await close()
  })

  it('compares any two versions, from the address and by selection, also in a narrow window', async () => {
    const { id } = await add('compare/me', { content: 'One' })
    for (const content of ['Two', 'Three']) {
      await edit(id, content)
      await publish(id, { message: content })
    }
    await edit(id, 'Four')
    const { page, prompt, close } = await open(id, '?tab=versions&from=v1&to=v3')
    const shown = async () =>
      (await prompt.diff.locator('del, ins').allInnerTexts()).map((text) => text.replace(/\s/g, ''))
    await eventually(shown).toEqual(['−One', '+Three'])
    // In forced colors the text of a badge has the colour of the selection, so the background must too.
    await page.emulateMedia({ forcedColors: 'active' })
    const badge = page.locator('[aria-pressed="true"] [data-tone]').first()
    expect(await badge.evaluate((part) => getComputedStyle(part).backgroundColor)).toBe('rgba(0, 0, 0, 0)')
    await page.emulateMedia({ forcedColors: 'none' })
    await page.getByRole('combobox', { name: 'To', exact: true }).selectOption('draft')
    await eventually(shown).toEqual(['−One', '+Four'])
    expect(new URL(page.url()).searchParams.get('to')).toBe('draft')
    await prompt.version('v2').getByRole('button').first().click()
    await eventually(shown).toEqual(['−One', '+Two'])
    await prompt.env('prod').getByText('v3').waitFor()
    await expectNarrow(page)
    await close()
  })

  it('explains in a protected environment what is required, in place of the button', async () => {
    const body = { name: 'Guarded', protected_envs: ['prod' as const] }
    const { slug } = (await fixture.console.server.client().workspaces.create({ body })).data
    const { id } = await add('guarded/one', { workspace_id: slug })
    await edit(id, 'Changed')
    const { page, prompt, close } = await open(id)
    await page.getByText(/prod is protected in this workspace\. Requires the role Admin/).waitFor()
    await prompt.publish.click({ force: true })
    await prompt.tab('Versions').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await expectNoDialog(page)
    await close()

    const allowed = await open(id, '', fixture.admin)
    await allowed.prompt.publish.click()
    await allowed.prompt.dialog.button('Publish v2 in prod').click()
    await allowed.prompt.dialog.button('Done').click()
    expect((await served('guarded/one')).code).toBe('not_found')
    expect(
      (await fixture.console.server.call(`GET /api/sdk/prompts/guarded%2Fone?env=prod&workspace=${slug}`))
        .body.content,
    ).toBe('Changed')
    await allowed.close()
  })

  it('lists changes on its audit tab like Audit, and opens before and after', async () => {
    const { id, key } = await add('audited', { content: 'One' })
    await edit(id, 'Two')
    await publish(id, { message: 'Shorter' })
    const file = { name: 'audited.md', content: `---\nkey: ${key}\nenv: prod\n---\nThree` }
    await fixture.console.server.client().promptTransfer.import({ body: { files: [file] } })
    await add('another')
    const { page, prompt, faults, close } = await open(id, '?tab=audit')
    const sentences = page.getByTestId('sentence')
    await sentences.first().waitFor()
    expect((await sentences.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())).toEqual([
      'service-token imported audited in prod as a draft',
      'service-token published audited v2 in prod Shorter',
      'service-token changed the draft of audited in prod',
      'service-token created the prompt audited in prod and published v1',
    ])
    expect(await axeFaults(page, 'main')).toEqual([])
    await sentences.nth(1).click()
    const drawer = page.getByTestId('drawer')
    await drawer.getByRole('heading', { name: 'Changes' }).waitFor()
    await eventually(() => drawer.getByTestId('diff').locator('ins').allInnerTexts()).toContain(
      '+\n  "version": "v2"',
    )
    expect(new URL(page.url()).searchParams.has('entry')).toBe(true)
    await page.keyboard.press('ArrowDown')
    await drawer.getByRole('heading', { name: /changed the draft of/ }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe(`/prompts/${id}`)
    await sentences.nth(1).click()
    await drawer.getByRole('link', { name: 'Show changes' }).click()
    await eventually(() => prompt.diff.locator('del, ins').allInnerTexts()).toEqual(['−\nOne', '+\nTwo'])
    expect(faults).toEqual([])
    await close()
  })
})
