import { describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience } from '../support/console.ts'
import { withPromptList } from '../support/fixtures/prompt-list.ts'
import { clientsPage } from '../support/pages/clients.ts'
import { watchPrompt } from '../support/pages/prompts.ts'
import { expectNoDialog } from '../support/shell.ts'
import { followPath } from '../support/warm.ts'

describe('Prompts', { timeout: patience }, () => {
  const fixture = withPromptList()
  const { add, addWorkspace, open } = fixture

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
    await followPath(page, `/prompts?workspace=${slug}&tag=mail`)
    await eventually(prompts.keys).toEqual(['support/answer'])
    await followPath(page, `/prompts?workspace=${slug}&draft=true`)
    await eventually(prompts.keys).toEqual(['loose'])
    await close()
  })

  it('counts live clients and shows a publish without moving the rows', async () => {
    const slug = await addWorkspace('Followed')
    const { id } = await add('watched', { workspace_id: slug, env: 'prod' })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await prompts.row('watched').getByText('v1').waitFor()
    const app = await watchPrompt(fixture.console.server, {
      app: 'one',
      key: 'watched',
      env: 'prod',
      workspace: slug,
    })
    await eventually(() => prompts.row('watched').locator('td[data-col="clients"]').innerText()).toBe('1')
    const client = fixture.console.server.client()
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
    for (const folder of ['folder', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'])
      await add(`${folder}/one`, { workspace_id: slug })
    const { page, prompts, close } = await open(`?workspace=${slug}`)
    await page.setViewportSize({ width: 640, height: 900 })
    await prompts.row('folder/one').waitFor()
    expect(await prompts.tree.isVisible()).toBe(false)
    expect(await axeFaults(page, 'main')).toEqual([])
    await page.setViewportSize({ width: 880, height: 900 })
    expect(await prompts.tree.isVisible()).toBe(false)
    await page.getByLabel('Folders').filter({ visible: true }).fill('seven')
    await page.getByRole('option', { name: 'seven (1)' }).click()
    await eventually(() => new URL(page.url()).searchParams.get('folder')).toBe('seven')
    await page.getByLabel('Folders').filter({ visible: true }).fill('folder')
    await page.getByRole('option', { name: 'folder (1)' }).click()
    await eventually(() => new URL(page.url()).searchParams.get('folder')).toBe('folder')
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'folder/one' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { level: 1, name: 'Prompts' }).waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    await close()
  })

  it('shows a viewer which role each action needs', async () => {
    const slug = await addWorkspace('Viewed')
    const { token } = await fixture.console.server.signedIn('viewer')
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

  it('tells equal keys of two workspaces apart, in the list and on the page of each', async () => {
    for (const name of ['Twin one', 'Twin two']) {
      await add('twin/key', { workspace_id: await addWorkspace(name) })
    }
    const { page, prompts, close } = await open('?folder=twin')
    await prompts.checkAll.check()
    await prompts.bulk.action('Delete…').click()
    const dialog = page.getByRole('dialog')
    for (const name of ['Twin one', 'Twin two']) await dialog.getByText(`twin/key · dev · ${name}`).waitFor()
    await page.keyboard.press('Escape')
    const second = page.getByRole('row').filter({ hasText: 'Twin two' })
    await second.getByText('twin/key').click()
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
    await crumbs.getByRole('link', { name: 'Twin two' }).click()
    await page.getByRole('button', { name: 'Workspace: Twin two' }).waitFor()
    await eventually(prompts.keys).toEqual(['twin/key'])
    // Every row would state the selected workspace.
    expect(await page.getByRole('columnheader', { name: 'Workspace' }).count()).toBe(0)
    await close()
  })

  it('is linked from a workspace and from the keys of a client', async () => {
    const slug = await addWorkspace('Linked')
    await add('linked/key', { workspace_id: slug, env: 'prod' })
    await add('linked/keys', { workspace_id: slug, env: 'prod', draft: true })
    const app = await watchPrompt(fixture.console.server, {
      app: 'linker',
      key: 'linked/key',
      env: 'prod',
      workspace: slug,
    })
    const { page, prompts, close } = await open()
    await followPath(page, '/workspaces')
    await page.getByRole('row').filter({ hasText: slug }).getByRole('link', { name: '2' }).click()
    await eventually(prompts.keys).toEqual(['linked/key', 'linked/keys'])
    const clients = clientsPage(page)
    await followPath(page, '/clients?app=linker')
    await clients.open('linker')
    await page.getByTestId('drawer').getByRole('link', { name: 'linked/key' }).click()
    await eventually(prompts.keys).toEqual(['linked/key'])
    expect(new URL(page.url()).pathname).toBe('/prompts')
    await app.close()
    await close()
  })
})
