import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, dialogAndDrawer, openDialog } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { workspacesPage } from '../support/pages/workspaces.ts'
import { expectNoDialog } from '../support/shell.ts'
import { followPath } from '../support/warm.ts'

describe('Workspaces', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  const add = async (name: string): Promise<{ id: string; slug: string }> =>
    (await console.server.client().workspaces.create({ body: { name } })).data
  const open = async (search = '', token = admin) => {
    const { page, faults, close } = await console.visit(token)
    const workspaces = workspacesPage(page)
    await workspaces.goto(search)
    return { page, workspaces, faults, close }
  }
  beforeAll(async () => {
    admin = (await console.server.signedIn('admin')).token
  })

  it('creates one, deriving the slug, and shows a rejected slug at its field', async () => {
    await add('Team Blue')
    const { page, workspaces, faults, close } = await open()
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('Growth experiments')
    await workspaces.dialog.field('Slug').fill('team-blue')
    await page.keyboard.press('Enter')
    await workspaces.dialog.dialog.getByText(/taken/i).waitFor()
    await workspaces.dialog.field('Slug').fill('Not A Slug')
    await page.keyboard.press('Enter')
    await workspaces.dialog.dialog.getByText(/lower-case/i).waitFor()
    await workspaces.dialog.field('Slug').fill('')
    await page.keyboard.press('Enter')
    await eventually(() => workspaces.drawer.title.innerText()).toBe('Growth experiments')
    await workspaces.row('growth-experiments').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('creates one if the reply to the first submission is lost, or explains without its key why it cannot be repeated', async () => {
    const { page, workspaces, close } = await open()
    await page.route('**/api/workspaces', (route) => route.fetch().then(() => route.abort()), { times: 1 })
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('Only one')
    await page.keyboard.press('Enter')
    await workspaces.dialog.alert.getByText('may not have been saved').waitFor()
    await page.keyboard.press('Enter')
    await eventually(() => workspaces.drawer.title.innerText()).toBe('Only one')
    expect((await console.server.call('GET /api/workspaces?q=only')).body.total).toBe(1)
    await page.keyboard.press('Escape')
    const other = { token: admin, headers: { 'idempotency-key': 'one' } }
    await console.server.call('POST /api/workspaces', { ...other, body: { name: 'First' } })
    await page.route('**/api/workspaces', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'idempotency-key': 'one' } }),
    )
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('Second')
    await page.keyboard.press('Enter')
    await workspaces.dialog.alert.getByText('may have taken effect').waitFor()
    expect(await workspaces.dialog.alert.innerText()).not.toMatch(/key/i)
    await close()
  })

  it('edits name, description, protection, budget and time zone; only admins change the budget', async () => {
    const { id } = await add('Before')
    const { workspaces, faults, close } = await open(`/${id}`)
    await workspaces.drawer.action('Edit').click()
    const { dialog } = workspaces
    await dialog.field('Name').fill('After')
    await dialog.field('Description').fill('What it is for')
    await dialog.dialog.getByRole('checkbox', { name: 'prod' }).check()
    await dialog.field('US dollars per day').fill('2.5')
    await dialog.dialog.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Tokyo')
    await dialog.button('Save').click()
    await eventually(() => workspaces.drawer.title.innerText()).toBe('After')
    await workspaces.drawer.drawer.getByText('What it is for').waitFor()
    await workspaces.drawer.drawer.getByText('Only admins can publish').waitFor()
    await workspaces.row('After').waitFor()
    expect((await console.server.call(`GET /api/workspaces/${id}`)).body.data).toMatchObject({
      time_zone: 'Asia/Tokyo',
      budget: { usd_per_day: 2.5, tokens_per_day: null, mode: 'refuse' },
    })
    await workspaces.drawer.drawer
      .getByRole('progressbar', { name: 'US dollars per day' })
      .waitFor({ state: 'attached' })
    expect(faults).toEqual([])
    await close()
    const editing = await open(`/${id}`, (await console.server.signedIn('editor')).token)
    await editing.workspaces.drawer.action('Edit').click()
    expect(await editing.workspaces.dialog.field('US dollars per day').isDisabled()).toBe(true)
    await editing.close()
  })

  it('lets an editor change a slug, but not where environments are protected', async () => {
    const { token } = await console.server.signedIn('editor')
    const plain = await add('Plain')
    const guarded = await console.server.client().workspaces.create({
      body: { name: 'Guarded', protected_envs: ['prod'] },
    })
    const { page, workspaces, faults, close } = await open(`/${guarded.data.id}`, token)
    await workspaces.drawer.action('Edit').click()
    await workspaces.dialog.dialog
      .getByText('Only an admin can change the slug of a workspace that has protected environments.')
      .waitFor()
    expect(await workspaces.dialog.field('Slug').isDisabled()).toBe(true)
    expect(await axeFaults(page, dialogAndDrawer)).toEqual([])
    await page.keyboard.press('Escape')
    await workspaces.goto(`/${plain.id}`)
    await workspaces.drawer.action('Edit').click()
    await workspaces.dialog.dialog.getByText('The old slug continues to work').waitFor()
    await workspaces.dialog.field('Slug').fill('renamed')
    await workspaces.dialog.button('Save').click()
    await workspaces.row('renamed').waitFor()
    expect((await console.server.call(`GET /api/workspaces/${plain.slug}`)).body.data.id).toBe(plain.id)
    await close()
    expect(faults).toEqual([])
  })

  it('reserves the slug of a deleted workspace for admins', async () => {
    const { token } = await console.server.signedIn('editor')
    const deleted = await add('Gone')
    await console.server.call(`DELETE /api/workspaces/${deleted.id}`)
    const { page, workspaces, close } = await open('', token)
    await workspaces.create.click()
    await workspaces.dialog.field('Name').fill('Another')
    await workspaces.dialog.field('Slug').fill(deleted.slug)
    await workspaces.dialog.button('Create workspace').click()
    await workspaces.dialog.dialog.getByText('belonged to a deleted workspace').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await close()
  })

  it('deletes one after showing what moves', async () => {
    const { id, slug } = await add('Short lived')
    const { page, workspaces, close } = await open(`/${id}`)
    await workspaces.drawer.action('Delete').click()
    await workspaces.dialog.dialog.getByText('is empty, so nothing moves to default').waitFor()
    await workspaces.dialog.dialog.getByRole('textbox').fill(slug)
    // The first reply is lost.
    const address = `**/api/workspaces/${id}`
    await page.route(address, (route) =>
      route.request().method() === 'DELETE' ? route.fetch().then(() => route.abort()) : route.continue(),
    )
    await page.keyboard.press('Enter')
    await workspaces.dialog.alert.getByText('may or may not have been done').waitFor()
    await page.unroute(address)
    await page.keyboard.press('Enter')
    await workspaces.drawer.drawer.waitFor({ state: 'detached' })
    await eventually(() => workspaces.row('Short lived').count()).toBe(0)
    expect((await console.server.call(`GET /api/workspaces/${id}`)).status).toBe(404)
    await close()
  })

  it('keeps the built-in one', async () => {
    const { page, workspaces, close } = await open('/default')
    await workspaces.drawer.action('Delete').hover()
    await page.getByRole('tooltip').filter({ hasText: 'cannot be deleted' }).waitFor()
    await workspaces.drawer.action('Delete').click({ force: true })
    await expectNoDialog(page)
    await close()
  })

  it('shows a viewer which role each action needs', async () => {
    const { token } = await console.server.signedIn('viewer')
    const { page, workspaces, close } = await open('/default', token)
    await workspaces.drawer.action('Edit').hover()
    await page
      .getByRole('tooltip')
      .filter({ hasText: 'Requires the role Editor; yours is Viewer.' })
      .waitFor()
    await workspaces.drawer.close()
    await page.keyboard.press('n')
    await workspaces.create.click({ force: true })
    await expectNoDialog(page)
    await close()
  })

  it('reports that a workspace does not exist, also in the address of another page', async () => {
    const { page, workspaces, close } = await open('/nowhere')
    await workspaces.drawer.drawer.getByTestId('error').waitFor()
    await workspaces.drawer.close()
    await workspaces.drawer.drawer.waitFor({ state: 'detached' })
    await followPath(page, '/prompts?workspace=nowhere')
    const texts = ['The workspace nowhere cannot be opened', 'Workspace not found']
    for (const text of texts) await page.getByText(text).waitFor()
    await page.getByRole('button', { name: 'Show all workspaces' }).click()
    for (const text of texts) await page.getByText(text).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
    await close()
  })

  it('are found by what is typed once their menu is open', async () => {
    for (let index = 0; index < 9; index += 1) await add(`Many ${index}`)
    const { page, close } = await open()
    await page.getByRole('button', { name: 'Workspace: All workspaces' }).press('Enter')
    await page.getByRole('textbox', { name: 'Find workspace' }).pressSequentially('Many 7')
    await page.getByRole('menuitem', { name: 'Many 0' }).waitFor({ state: 'detached' })
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.waitForURL('**/workspaces?workspace=many-7')
    await close()
  })
})
