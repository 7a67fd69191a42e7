import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { promptPage, watchPrompt } from '../support/pages/prompts.ts'
import { report } from '../support/pages/runs.ts'
import { expectNoDialog } from '../support/shell.ts'

describe('Releasing a prompt', { timeout: patience }, () => {
  let console: Console
  let admin: string
  let editor: string
  const add = async (key: string, overrides: Record<string, unknown> = {}) =>
    (
      await console.server
        .client()
        .prompts.create({ body: { key, content: 'Hello {{name}}', env: 'prod', ...overrides } })
    ).data
  const edit = (id: string, content: string) =>
    console.server.client().prompts.update({ params: { id }, body: { content } })
  const served = async (key: string, env = 'prod') =>
    (await console.server.call(`GET /api/sdk/prompts/${encodeURIComponent(key)}?env=${env}`)).body
  const open = async (id: string, search = '', token = editor) => {
    const { page, faults, close } = await console.visit(token)
    const prompt = promptPage(page)
    await prompt.goto(id, search)
    return { page, prompt, faults, close }
  }
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin', 'ada')).token
    editor = (await console.server.signedIn('editor', 'edda')).token
  })
  afterAll(() => console.close())

  it('publishes after showing the impact, reaches 3 of 3, rolls back and promotes', async () => {
    const { id } = await add('greet', { env: 'dev' })
    const apps = await Promise.all(
      ['checkout', 'storefront'].map((app) => watchPrompt(console.server, { app, key: 'greet', env: 'dev' })),
    )
    const slow = await watchPrompt(console.server, {
      app: 'mailer',
      key: 'greet',
      env: 'dev',
      isAcking: false,
    })
    const other = await watchPrompt(console.server, { app: 'elsewhere', key: 'greet', env: 'prod' })
    const reports = Array.from({ length: 4 }, () =>
      report({ ref_key: 'greet', version: 'v1', env: 'dev', variables: ['name'] }),
    )
    await console.server.client().runs.report({ body: reports })

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

    await page.goto('/audit?resource=prompt')
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

  it('names outdated clients and since when, and pushes again', async () => {
    const { id } = await add('push/me')
    const app = await watchPrompt(console.server, {
      app: 'sleeper',
      key: 'push/me',
      env: 'prod',
      isAcking: false,
    })
    app.ack('v1')
    const { page, prompt, close } = await open(id, '?tab=clients')
    await eventually(() => prompt.headline.innerText()).toBe('1 of 1 on v1')
    await edit(id, 'Changed')
    await console.server.client().promptVersions.publish({ params: { id }, body: {} })
    // The panel updates automatically.
    await eventually(() => prompt.headline.innerText()).toBe('0 of 1 on v2')
    const outdated = prompt.convergence.getByRole('list', { name: 'Outdated clients' })
    await outdated.getByText(/still on v1, for/).waitFor()
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

  it('compares any two versions, from the address and by selection', async () => {
    const { id } = await add('compare/me', { content: 'One' })
    for (const content of ['Two', 'Three']) {
      await edit(id, content)
      await console.server.client().promptVersions.publish({ params: { id }, body: { message: content } })
    }
    await edit(id, 'Four')
    const { page, prompt, close } = await open(id, '?tab=versions&from=v1&to=v3')
    const shown = () => prompt.diff.locator('del, ins').allInnerTexts()
    await eventually(async () => (await shown()).map((text) => text.replace(/\s/g, ''))).toEqual([
      '−One',
      '+Three',
    ])
    await page.getByRole('combobox', { name: 'To', exact: true }).selectOption('draft')
    await eventually(async () => (await shown()).map((text) => text.replace(/\s/g, ''))).toEqual([
      '−One',
      '+Four',
    ])
    expect(new URL(page.url()).searchParams.get('to')).toBe('draft')
    await prompt.version('v2').getByRole('button').first().click()
    await eventually(async () => (await shown()).map((text) => text.replace(/\s/g, ''))).toEqual([
      '−One',
      '+Two',
    ])
    await close()
  })

  it('explains in a protected environment what is required, in place of the button', async () => {
    const { slug } = (await console.server.client().workspaces.create({ body: { name: 'Guarded' } })).data
    const { page: workspaces, close: closeWorkspaces } = await console.visit(admin)
    await workspaces.goto(`/workspaces/${slug}`)
    await workspaces.getByRole('button', { name: 'Edit', exact: true }).click()
    await workspaces.getByRole('checkbox', { name: 'prod' }).check()
    await workspaces.getByRole('button', { name: 'Save' }).click()
    await workspaces.getByTestId('drawer').getByText('Only admins can publish').waitFor()
    await closeWorkspaces()

    const { id } = await add('guarded/one', { workspace_id: slug })
    await edit(id, 'Changed')
    const { page, prompt, close } = await open(id)
    await page.getByText(/prod is protected in this workspace\. Requires the role Admin/).waitFor()
    await prompt.publish.click({ force: true })
    await prompt.tab('Versions').click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await expectNoDialog(page)
    await close()

    const allowed = await open(id, '', admin)
    await allowed.prompt.publish.click()
    await allowed.prompt.dialog.button('Publish v2 in prod').click()
    await allowed.prompt.dialog.button('Done').click()
    expect((await served('guarded/one')).code).toBe('not_found')
    expect(
      (await console.server.call(`GET /api/sdk/prompts/guarded%2Fone?env=prod&workspace=${slug}`)).body
        .content,
    ).toBe('Changed')
    await allowed.close()
  })

  it('lists changes on its audit tab like Audit, and opens before and after', async () => {
    const { id, key } = await add('audited', { content: 'One' })
    await edit(id, 'Two')
    await console.server.client().promptVersions.publish({ params: { id }, body: { message: 'Shorter' } })
    const file = { name: 'audited.md', content: `---\nkey: ${key}\nenv: prod\n---\nThree` }
    await console.server.client().promptTransfer.import({ body: { files: [file] } })
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

  describe('when another user was first', () => {
    const expectStale = async (prompt: ReturnType<typeof promptPage>): Promise<void> => {
      await prompt.dialog.dialog
        .getByRole('alert')
        .filter({ hasText: 'service-token changed' })
        .filter({ hasText: 'Your action was not carried out' })
        .waitFor()
    }
    const publish = (id: string) =>
      console.server.client().promptVersions.publish({ params: { id }, body: { message: 'by another' } })

    it('does not publish an unseen change, shows the newest, and continues from it', async () => {
      const { id } = await add('first/publish', { content: 'One' })
      await edit(id, 'Two')
      const { prompt, close } = await open(id)
      await prompt.publish.click()
      await prompt.dialog.button('Publish v2 in prod').waitFor()
      await edit(id, 'Three')
      await prompt.dialog.button('Publish v2 in prod').click()
      await expectStale(prompt)
      expect((await served('first/publish')).content).toBe('One')
      await prompt.dialog.dialog.locator('ins').getByText('Three').waitFor()
      await prompt.dialog.button('Publish v2 in prod').click()
      await prompt.dialog.button('Done').click()
      expect((await served('first/publish')).content).toBe('Three')
      await close()
    })

    it('does not promote an unseen change', async () => {
      const { id, etag } = await add('first/promote', { env: 'dev', content: 'One' })
      const { page, prompt, close } = await open(id, '?tab=versions')
      await page.getByRole('button', { name: 'Promote to test' }).click()
      await prompt.dialog.button('Promote v1 to test').waitFor()
      await edit(id, 'Two')
      await publish(id)
      const request = page.waitForRequest(/\/promote$/)
      await prompt.dialog.button('Promote v1 to test').click()
      expect((await request).headers()['if-match']).toBe(etag)
      await expectStale(prompt)
      expect((await served('first/promote', 'test')).code).toBe('not_found')
      await prompt.dialog.dialog.locator('ins').getByText('Two').waitFor()
      await prompt.dialog.button('Promote v2 to test').click()
      await prompt.dialog.button('Done').click()
      expect((await served('first/promote', 'test')).content).toBe('Two')
      await close()
    })

    it('does not roll back over an unseen publish', async () => {
      const { id } = await add('first/back', { content: 'One' })
      await edit(id, 'Two')
      await publish(id)
      const { prompt, close } = await open(id, '?tab=versions')
      await prompt.version('v1').getByRole('button', { name: 'Roll back to v1' }).click()
      await prompt.dialog.button('Roll back to v1').waitFor()
      await edit(id, 'Three')
      await publish(id)
      await prompt.dialog.button('Roll back to v1').click()
      await expectStale(prompt)
      expect((await served('first/back')).content).toBe('Three')
      await prompt.dialog.dialog.locator('del').getByText('Three').waitFor()
      await close()
    })
  })

  it('names the prompts that include the published one', async () => {
    const { id } = await add('shared/tone', { env: 'dev', content: 'Be kind.' })
    await add('mail/first', { env: 'dev', content: 'Hello. {{> shared/tone}}' })
    const { prompt, close } = await open(id)
    await prompt.write('Be brief.')
    await prompt.publish.click()
    const line = prompt.dialog.dialog.getByTestId('included-by')
    await eventually(() => line.innerText()).toContain('1 prompt includes this one and changes too:')
    expect(await line.getByRole('link').allInnerTexts()).toEqual(['mail/first'])
    await close()
  })
})
