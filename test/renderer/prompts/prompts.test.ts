import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { clientsPage } from '../support/pages/clients.ts'
import { promptPage, promptsPage, watchPrompt } from '../support/pages/prompts.ts'
import { problem } from '../support/pages/runs.ts'
import { expectNoDialog } from '../support/shell.ts'

describe('Prompts', { timeout: patience }, () => {
  let console: Console
  let editor: string
  const add = async (key: string, more: Record<string, unknown> = {}) =>
    (await console.server.client().prompts.create({ body: { key, content: `Text of ${key}`, ...more } })).data
  const addWorkspace = async (name: string): Promise<string> =>
    (await console.server.client().workspaces.create({ body: { name } })).data.slug
  const open = async (search = '', token = editor, view = {}) => {
    const { page, faults, close } = await console.visit(token, view)
    const prompts = promptsPage(page)
    await prompts.goto(search)
    return { page, prompts, faults, close }
  }
  beforeAll(async () => {
    console = await openConsole()
    editor = (await console.server.signedIn('editor', 'edda')).token
  })
  afterAll(() => console.close())

  it('creates one by keyboard, shows a used key at its field, and opens it', async () => {
    await add('taken/key')
    const { page, prompts, faults, close } = await open()
    await prompts.row('taken/key').waitFor()
    await page.keyboard.press('n')
    await prompts.dialog.field('Key').fill('taken/key')
    await prompts.dialog.field('Content').fill('Hi {{name}}')
    await prompts.dialog.dialog.getByText('Variables: name').waitFor()
    await prompts.dialog.button('Create prompt').click()
    await prompts.dialog.dialog.getByText(/there is|taken|already/i).waitFor()
    await prompts.dialog.field('Key').fill('fresh/key')
    await prompts.dialog.button('Create prompt').click()
    await page.getByRole('heading', { level: 1, name: 'fresh/key' }).waitFor()
    await promptPage(page).status.filter({ hasText: 'v1 is live' }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('keeps a new one as a draft that is not served', async () => {
    const { page, prompts, close } = await open()
    await prompts.create.click()
    await prompts.dialog.field('Key').fill('only/draft')
    await prompts.dialog.choose('Save as draft (apps do not receive it)')
    await prompts.dialog.button('Create prompt').click()
    await promptPage(page).status.filter({ hasText: 'Never published' }).waitFor()
    expect((await console.server.call('GET /api/sdk/prompts/only%2Fdraft?env=dev')).status).toBe(404)
    await close()
  })

  it('filters by folder, environment, draft and words of the text, all in the address', async () => {
    const slug = await addWorkspace('Filtered')
    const target = { workspace_id: slug }
    await add('billing/refund', { ...target, env: 'prod', content: 'About zebras' })
    await add('billing/disputes/open', target)
    await add('support/answer', { ...target, tags: ['mail'] })
    await add('loose', { ...target, draft: true })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await eventually(prompts.folders).toEqual([
      'All prompts4',
      'billing2',
      'disputes1',
      'support1',
      'No folder1',
    ])
    await prompts.folder('billing').click()
    await eventually(prompts.keys).toEqual(['billing/disputes/open', 'billing/refund'])
    expect(new URL(page.url()).searchParams.get('folder')).toBe('billing')
    // By keyboard: → enters the open folder, Enter selects, ← returns and closes.
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await eventually(prompts.keys).toEqual(['billing/disputes/open'])
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await eventually(() => prompts.folder('disputes').count()).toBe(0)
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await eventually(async () => (await prompts.keys()).length).toBe(4)
    await prompts.filters.text.fill('zebr')
    await eventually(prompts.keys).toEqual(['billing/refund'])
    await prompts.filters.clear.click()
    await prompts.filters.add('Environment', 'prod')
    await eventually(prompts.keys).toEqual(['billing/refund'])
    await prompts.goto(`?workspace=${slug}&tag=mail`)
    await eventually(prompts.keys).toEqual(['support/answer'])
    await prompts.goto(`?workspace=${slug}&draft=true`)
    await eventually(prompts.keys).toEqual(['loose'])
    await close()
  })

  it('counts live clients and shows a publish without moving the rows', async () => {
    const slug = await addWorkspace('Followed')
    const { id } = await add('watched', { workspace_id: slug, env: 'prod' })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await prompts.row('watched').getByText('v1').waitFor()
    const app = await watchPrompt(console.server, {
      app: 'one',
      key: 'watched',
      env: 'prod',
      workspace: slug,
    })
    await eventually(() => prompts.row('watched').locator('td[data-col="clients"]').innerText()).toBe('1')
    const client = console.server.client()
    await client.prompts.update({ params: { id }, body: { content: 'Changed' } })
    await prompts.row('watched').getByText('Draft').waitFor()
    await prompts.row('watched').locator('td[data-col="key"]').hover()
    await client.promptVersions.publish({ params: { id }, body: {} })
    await prompts.row('watched').getByText('v2').waitFor()
    await add('another', { workspace_id: slug })
    await page.getByRole('button', { name: '1 new prompt' }).waitFor()
    expect(await prompts.keys()).toEqual(['watched'])
    await page.getByRole('button', { name: '1 new prompt' }).click()
    await eventually(prompts.keys).toEqual(['another', 'watched'])
    await app.close()
    await close()
  })

  it('deletes after naming the affected clients, and restores; a used key is explained', async () => {
    const slug = await addWorkspace('Trashed')
    await add('doomed', { workspace_id: slug, env: 'prod' })
    const app = await watchPrompt(console.server, { app: 'one', key: 'doomed', env: 'prod', workspace: slug })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await eventually(() => prompts.row('doomed').locator('td[data-col="clients"]').innerText()).toBe('1')
    await prompts.menu('doomed', 'Delete')
    await prompts.dialog.dialog.getByText('1 connected client affected').waitFor()
    await prompts.dialog.button('Delete').click()
    await prompts.empty.waitFor()
    await prompts.folder('Trash').click()
    await prompts.row('doomed').getByRole('button', { name: 'Restore' }).waitFor()
    await add('doomed', { workspace_id: slug, env: 'prod' })
    await prompts.row('doomed').getByRole('button', { name: 'Restore' }).click()
    await prompts.dialog.button('Restore').click()
    await prompts.dialog.alert.filter({ hasText: 'doomed' }).waitFor()
    await prompts.dialog.button('Cancel').click()
    const { data } = await console.server.client().prompts.list({ query: { workspace: slug } })
    for (const { id } of data) await console.server.client().prompts.remove({ params: { id } })
    // The focus is on a row, so updates are paused.
    await page.getByRole('button', { name: '1 new prompt' }).click()
    await eventually(() => prompts.rows.count()).toBe(2)
    await prompts.rows.first().getByRole('button', { name: 'Restore' }).click()
    await prompts.dialog.button('Restore').click()
    await page.getByTestId('toast').filter({ hasText: 'doomed restored.' }).waitFor()
    await eventually(() => prompts.rows.count()).toBe(1)
    await app.close()
    await close()
  })

  it('duplicates and moves', async () => {
    const slug = await addWorkspace('Copied')
    const target = await addWorkspace('Target')
    await add('first', { workspace_id: slug })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await prompts.menu('first', 'Duplicate')
    await prompts.dialog.field('Key').fill('second')
    await prompts.dialog.button('Duplicate').click()
    await page.getByRole('heading', { level: 1, name: 'second' }).waitFor()
    await promptPage(page).status.filter({ hasText: 'Never published' }).waitFor()
    await prompts.goto(`?workspace=${slug}`)
    await prompts.menu('second', 'Move')
    await prompts.dialog.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Target' }).click()
    await prompts.dialog.button('Move').click()
    await eventually(prompts.keys).toEqual(['first'])
    await prompts.goto(`?workspace=${target}`)
    await eventually(prompts.keys).toEqual(['second'])
    await close()
  })

  it('imports after showing which prompts would be created, changed and rejected', async () => {
    const slug = await addWorkspace('Imported')
    await add('known', { workspace_id: slug, env: 'dev' })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await prompts.import.click()
    const prompt = (key: string, content: string) => ({ key, content, env: 'dev' })
    const rows = [
      { ...prompt('known', 'Changed'), name: 'Renamed' },
      prompt('brand/new', 'Hi'),
      prompt('not//a key', 'x'),
    ]
    await prompts.dialog.dialog.getByLabel('Or paste text').fill(JSON.stringify({ prompts: rows }))
    await prompts.dialog.button('Preview').click()
    const { dialog } = prompts.dialog
    await dialog.getByText('1 created', { exact: true }).waitFor()
    await dialog.getByText('1 changed', { exact: true }).waitFor()
    await dialog.getByText('1 rejected', { exact: true }).waitFor()
    expect((await dialog.locator('tbody tr').first().innerText()).replace(/\s+/g, ' ')).toMatch(
      /^not\/\/a key .*rejected key: No empty/,
    )
    await dialog.getByText('so nothing can be imported').waitFor()
    await prompts.dialog.button('Back').click()
    await dialog.getByLabel('Or paste text').fill(JSON.stringify({ prompts: rows.slice(0, 2) }))
    await prompts.dialog.button('Preview').click()
    // The changes to an existing prompt can be expanded, also by keyboard.
    const toggle = dialog.getByRole('button', { name: 'Show changes of known' })
    await toggle.focus()
    await page.keyboard.press('Enter')
    const lines = dialog.getByTestId('diff').locator('del, ins')
    await eventually(() => lines.allInnerTexts()).toEqual([
      expect.stringContaining('"name": "known"'),
      expect.stringContaining('"name": "Renamed"'),
      expect.stringContaining('Text of known'),
      expect.stringContaining('Changed'),
    ])
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('Enter')
    await lines.first().waitFor({ state: 'detached' })
    expect(await dialog.getByRole('button', { name: 'Show changes of brand/new' }).count()).toBe(0)
    await prompts.dialog.button('Import 2 prompts').click()
    await eventually(prompts.keys).toEqual(['brand/new', 'known'])
    await prompts.row('known').getByText('Draft').waitFor()
    await close()
  })

  it('shows the environments of a key, compares two of them, and changes keys in bulk', async () => {
    const slug = await addWorkspace('Matrix')
    const target = await addWorkspace('Other')
    const client = console.server.client()
    const { id } = await add('mail/greet', { workspace_id: slug, content: 'One\nTwo' })
    const promote = (env: 'test' | 'prod') => client.promptVersions.promote({ params: { id }, body: { env } })
    await promote('test')
    await promote('prod')
    await client.prompts.update({ params: { id }, body: { content: 'One\nThree' } })
    await client.promptVersions.publish({ params: { id }, body: {} })
    await add('mail/single', { workspace_id: slug })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    const cell = (env: string) => prompts.row('mail/greet').locator(`td[data-col="${env}"] a`)
    await eventually(prompts.keys).toEqual(['mail/greet', 'mail/single'])
    await eventually(prompts.folders).toEqual(['All prompts2', 'mail2'])
    await eventually(() => cell('dev').getAttribute('aria-description')).toBe('v2 is live in dev.')
    expect(await cell('prod').getAttribute('aria-description')).toBe(
      'v1 is live in prod. Same content as test. Behind: newer content is live in another environment.',
    )
    const contents = ['dev', 'test', 'prod'].map((env) => cell(env).getAttribute('data-content'))
    expect(await Promise.all(contents)).toEqual(['0', '1', '1'])
    // The comparison begins with the environment that is behind, and is in the address.
    await prompts.menu('mail/greet', 'Compare environments')
    const diff = page.getByTestId('diff')
    await diff.getByText('Three').waitFor()
    await page.getByRole('combobox', { name: 'To: version' }).selectOption('v1')
    await page.getByText('The versions are identical.').waitFor()
    expect(await page.getByTestId('same-as').count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('to')).toBe('v1')
    expect(await axeFaults(page)).toEqual([])
    // Tags change only in the selected environment of the selected keys.
    await prompts.goto(`?workspace=${slug}`)
    await prompts.check('mail/greet').check()
    await prompts.check('mail/single').check()
    await prompts.bulk.bar.getByRole('combobox', { name: 'Environments' }).selectOption('dev')
    await prompts.bulk.action('Change tags…').click()
    await prompts.dialog.dialog.getByLabel('Add tags', { exact: true }).fill('urgent')
    await page.keyboard.press('Enter')
    expect(await axeFaults(page)).toEqual([])
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByTestId('toast').filter({ hasText: 'Tags of 2 prompts changed.' }).waitFor()
    const { data } = await client.prompts.list({ query: { workspace: slug, tag: 'urgent' } })
    expect(data.map(({ key, env }) => `${key} ${env}`)).toEqual(['mail/greet dev', 'mail/single dev'])
    // Moving a key moves its prompts in all environments.
    await prompts.menu('mail/greet', 'Move to workspace')
    await prompts.dialog.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Other' }).click()
    await prompts.dialog.button('Move').click()
    await eventually(prompts.keys).toEqual(['mail/single'])
    expect((await client.prompts.list({ query: { workspace: target } })).data).toHaveLength(3)
    await close()
  })

  it('exports the filtered prompts', async () => {
    const slug = await addWorkspace('Exported')
    await add('out/one', { workspace_id: slug })
    await add('out/two', { workspace_id: slug, content: 'A quokka' })
    const { page, prompts, close } = await open(`?workspace=${slug}&q=quokka`)
    await eventually(prompts.keys).toEqual(['out/two'])
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'YAML', exact: true }).click()
    const file = await (await saved).createReadStream()
    let text = ''
    for await (const part of file) text += String(part)
    expect(text).toContain('out/two')
    expect(text).not.toContain('out/one')
    await close()
  })

  it('opens a row by keyboard, is opened by g p, and collapses the folders when narrow', async () => {
    const slug = await addWorkspace('Keyed')
    await add('folder/one', { workspace_id: slug })
    const { page, prompts, close } = await open(`?workspace=${slug}`, editor, { width: 880 })
    await prompts.row('folder/one').waitFor()
    expect(await prompts.tree.isVisible()).toBe(false)
    await page.getByRole('combobox', { name: 'Folders' }).selectOption({ label: 'folder (1)' })
    await eventually(() => new URL(page.url()).searchParams.get('folder')).toBe('folder')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'folder/one' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor()
    await close()
  })

  it('shows a viewer which role each action needs', async () => {
    const slug = await addWorkspace('Viewed')
    const { token } = await console.server.signedIn('viewer')
    const { page, prompts, close } = await open(`?workspace=${slug}`, token)
    await prompts.empty.getByText('No prompts yet').waitFor()
    await prompts.create.hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: 'Requires the role Editor; yours is Viewer.' })
      .waitFor()
    await prompts.create.click({ force: true })
    await page.keyboard.press('n')
    await expectNoDialog(page)
    await close()
  })

  it('shows an error with Retry in place of the rows', async () => {
    const { page, prompts, close } = await open('/')
    await page.route('**/api/prompts/keys?*', (route) =>
      route.fulfill(problem(422, 'request.invalid', 'The request is not valid')),
    )
    await prompts.goto('?env=prod')
    const failure = page.getByTestId('error')
    await failure.filter({ hasText: 'request-1' }).waitFor()
    // Other changes also reload the list, so the key is pressed before the reply changes.
    await failure.getByRole('button', { name: 'Retry' }).focus()
    await page.unroute('**/api/prompts/keys?*')
    await page.keyboard.press('Enter')
    await failure.waitFor({ state: 'detached' })
    await close()
  })

  it('is linked from a workspace and from the keys of a client', async () => {
    const slug = await addWorkspace('Linked')
    await add('linked/key', { workspace_id: slug, env: 'prod' })
    await add('linked/keys', { workspace_id: slug, env: 'prod', draft: true })
    const app = await watchPrompt(console.server, {
      app: 'linker',
      key: 'linked/key',
      env: 'prod',
      workspace: slug,
    })
    const { page, prompts, close } = await open()
    await page.goto('/workspaces')
    await page.getByRole('row').filter({ hasText: slug }).getByRole('link', { name: '2' }).click()
    await eventually(prompts.keys).toEqual(['linked/key', 'linked/keys'])
    await page.goto(`/clients?app=linker`)
    await clientsPage(page).open('linker')
    await page.getByTestId('drawer').getByRole('link', { name: 'linked/key' }).click()
    await eventually(prompts.keys).toEqual(['linked/key'])
    expect(new URL(page.url()).pathname).toBe('/prompts')
    await app.close()
    await close()
  })
})
