import { describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPromptList } from '../support/fixtures/prompt-list.ts'
import { promptPage, watchPrompt } from '../support/pages/prompts.ts'
import { followPath } from '../support/warm.ts'

describe('Prompts', { timeout: patience }, () => {
  const fixture = withPromptList()
  const { add, addWorkspace, open } = fixture

  it('creates one by keyboard, shows a used key at its field, and opens it', async () => {
    await add('taken/key')
    const { page, prompts, close } = await open()
    await prompts.row('taken/key').waitFor()
    await page.keyboard.press('n')
    await prompts.dialog.field('Key').fill('taken/key')
    await prompts.dialog.field('Content').fill('Hi {{name}}')
    await prompts.dialog.dialog.getByText('Variables: name').waitFor()
    await prompts.dialog.button('Create prompt').click()
    await prompts.dialog.dialog.getByText(/there is|taken|already/i).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompts.dialog.field('Key').fill('fresh/key')
    await prompts.dialog.button('Create prompt').click()
    await page.getByRole('heading', { level: 1, name: 'fresh/key' }).waitFor()
    await promptPage(page).status.filter({ hasText: 'v1 is live' }).waitFor()
    await close()
  })

  it('keeps a new one as a draft that is not served', async () => {
    const { page, prompts, close } = await open()
    await prompts.create.click()
    await prompts.dialog.field('Key').fill('only/draft')
    await prompts.dialog.choose('Save as draft (apps do not receive it)')
    await prompts.dialog.button('Create prompt').click()
    await promptPage(page).status.filter({ hasText: 'Never published' }).waitFor()
    expect((await fixture.console.server.call('GET /api/sdk/prompts/only%2Fdraft?env=dev')).status).toBe(404)
    await close()
  })

  it('deletes after naming the affected clients, and restores; a used key is explained', async () => {
    const slug = await addWorkspace('Trashed')
    await add('doomed', { workspace_id: slug, env: 'prod' })
    const app = await watchPrompt(fixture.console.server, {
      app: 'one',
      key: 'doomed',
      env: 'prod',
      workspace: slug,
    })
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
    const { data } = await fixture.console.server.client().prompts.list({ query: { workspace: slug } })
    for (const { id } of data) await fixture.console.server.client().prompts.remove({ params: { id } })
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
    await followPath(page, `/prompts?workspace=${slug}`)
    await prompts.menu('second', 'Move')
    await prompts.dialog.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Target' }).click()
    await prompts.dialog.button('Move').click()
    await eventually(prompts.keys).toEqual(['first'])
    await followPath(page, `/prompts?workspace=${target}`)
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
    expect(await axeFaults(page, openDialog)).toEqual([])
    await prompts.dialog.button('Preview').click()
    const { dialog } = prompts.dialog
    await dialog.getByText('1 created', { exact: true }).waitFor()
    await dialog.getByText('1 changed', { exact: true }).waitFor()
    await dialog.getByText('1 rejected', { exact: true }).waitFor()
    expect((await dialog.locator('tbody tr').first().innerText()).replace(/\s+/g, ' ')).toMatch(
      /^not\/\/a key .*rejected key: No empty/,
    )
    await dialog.getByText('so nothing can be imported').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
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
    expect(await axeFaults(page, openDialog)).toEqual([])
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
    const client = fixture.console.server.client()
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
    // Tags change only in the selected environment of the selected keys.
    await followPath(page, `/prompts?workspace=${slug}`)
    await prompts.check('mail/greet').check()
    await prompts.check('mail/single').check()
    await prompts.bulk.bar.getByRole('combobox', { name: 'Environments' }).selectOption('dev')
    await prompts.bulk.action('Change tags…').click()
    await prompts.dialog.dialog.getByLabel('Add tags', { exact: true }).fill('urgent')
    await page.keyboard.press('Enter')
    expect(await axeFaults(page, openDialog)).toEqual([])
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
})
