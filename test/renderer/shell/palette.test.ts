import { beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, openDialog } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { report } from '../support/pages/runs.ts'
import { palettePart } from '../support/palette.ts'
import { dialogPart, drawerPart } from '../support/parts.ts'
import { holdRequests } from '../support/replies.ts'
import { expectNoDialog, shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('the palette', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  let viewer: string
  let runId: number
  beforeAll(async () => {
    admin = (await console.server.signedIn('admin', 'ada')).token
    viewer = (await console.server.signedIn('viewer', 'vera')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    const { data } = await console.server.client().runs.report({ body: report({ model: 'gpt-4o' }) })
    runId = Array.isArray(data) ? 0 : data.id
  })

  const open = async (token: string, path = '/workspaces', view = {}) => {
    const visit = await console.visit(token, view)
    await openPath(visit.page, path)
    await visit.page.getByRole('heading', { level: 1 }).waitFor()
    const palette = palettePart(visit.page)
    await palette.open()
    return { ...visit, palette }
  }

  it('finds a page, a user, a workspace, a run and an audit entry by keyboard', async () => {
    const { page, palette, faults, close } = await open(admin)
    await palette.group('Pages').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.type('ver')
    await eventually(palette.current).toContain('vera')
    await page.keyboard.press('Enter')
    await drawerPart(page).drawer.getByText('Actions by this user').waitFor()
    await palette.open()
    await page.keyboard.type('team')
    await eventually(palette.current).toContain('Team Blue')
    expect(await axeFaults(page, openDialog)).toEqual([])
    await page.keyboard.press('Enter')
    await page.waitForURL('**/workspaces/*')
    await palette.open()
    await page.keyboard.type(String(runId))
    await palette.group('Runs').waitFor()
    await palette.option(`Audit entry ${runId}`).waitFor()
    await eventually(palette.current).toContain(`Run ${runId}`)
    await page.keyboard.press('ArrowDown')
    await eventually(palette.current).toContain(`Audit entry ${runId}`)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${runId}`)
    expect(faults).toEqual([])
    await close()
  })

  it('finds prompts by their letters, and publishes, compares and tries them', async () => {
    const client = console.server.client()
    const body = { key: 'billing/greeting', content: 'Hello' } as const
    const { id } = (await client.prompts.create({ body })).data
    await client.promptVersions.promote({ params: { id }, body: { env: 'prod' } })
    await client.prompts.update({ params: { id }, body: { content: 'Hello {{name}}' } })
    const { page, palette, close } = await open(admin)
    await page.keyboard.type('blgre')
    await eventually(palette.current).toContain('billing/greeting')
    await palette.option('Compare billing/greeting').waitFor()
    await palette.option('Try billing/greeting in the Playground').waitFor()
    // Enter waits for the search, so that it never opens what an older list had first.
    await palette.field.fill('publish greeting')
    await page.keyboard.press('Enter')
    await dialogPart(page).button('Publish v2 in dev').waitFor()
    await page.keyboard.press('Escape')
    await palette.open()
    await page.keyboard.type('capture inputs')
    await eventually(palette.current).toContain('Capture of inputs and outputs')
    await close()
  })

  it('never shows results of an older query, and shows when it searches and when it fails', async () => {
    const { page, palette, close } = await open(admin)
    const { release } = await holdRequests(page, /\/api\/search\?q=ve&/)
    await page.keyboard.type('ve')
    await page.getByText('Searching…').waitFor()
    await palette.field.fill('ad')
    await palette.option(/^ada/).waitFor()
    release()
    await eventually(palette.options).not.toContain('vera')
    expect((await palette.options()).join()).not.toContain('vera')
    await page.route(/\/api\/search\?q=zz/, (route) => route.abort())
    await palette.field.fill('zz')
    await page.getByText('Could not search: The service cannot be reached').waitFor()
    await palette.field.fill('no such thing')
    await page.getByText('No results.').waitFor()
    await close()
  })

  it('has actions, and lists recent items first, also after a reload', async () => {
    const { page, palette, close } = await open(admin)
    const runAction = async (text: string, name: string) => {
      await palette.field.fill(text)
      await eventually(palette.current).toBe(name)
      await page.keyboard.press('Enter')
      await palette.field.waitFor({ state: 'detached' })
    }
    await runAction('switch dark', 'Switch to dark theme')
    await eventually(() => page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
    await palette.open()
    await runAction('compact', 'Use compact rows')
    await eventually(() => page.locator('[data-density]').first().getAttribute('data-density')).toBe(
      'compact',
    )
    await palette.open()
    await runAction('create backup', 'Create backup')
    await dialogPart(page).button('Create backup').click()
    await page.getByText('Backup created and verified.').waitFor()
    await palette.open()
    await runAction('add us', 'Add user')
    await dialogPart(page).field('Username').waitFor()
    await page.keyboard.press('Escape')
    await shell(page).heading('Users').waitFor()
    await palette.open()
    await runAction('aud', 'Audit')
    await page.waitForURL('**/audit')
    await page.goBack()
    await shell(page).heading('Users').waitFor()
    await page.reload()
    await shell(page).heading('Users').waitFor()
    // The reload does not add a user again.
    await expectNoDialog(page)
    await palette.open()
    await palette.group('Recently used').waitFor()
    expect((await palette.options())[0]).toBe('Audit')
    await close()
  })

  it('shows a viewer which role an action needs and who has it, does nothing, and signs out', async () => {
    const { page, palette, close } = await open(viewer)
    const offered = (await palette.options()).join('\n')
    for (const name of ['Users', 'Settings', 'View as']) expect(offered).not.toContain(name)
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') requests.push(request.url())
    })
    for (const name of ['Add user', 'Create workspace', 'Create backup']) {
      await palette.field.fill(name)
      await eventually(palette.current).toContain(name)
      expect(await palette.option(new RegExp(`^${name}`)).getAttribute('aria-disabled')).toBe('true')
      await page.keyboard.press('Enter')
      await palette.field.waitFor()
    }
    await eventually(() => page.getByRole('dialog').getByRole('status').innerText()).toMatch(
      /^Requires the role admin; yours is viewer\. ada /i,
    )
    expect(await axeFaults(page, openDialog)).toEqual([])
    expect(requests).toEqual([])
    expect(new URL(page.url()).pathname).toBe('/workspaces')
    await palette.field.fill('team')
    await palette.group('Workspaces').waitFor()
    await palette.field.fill('vera')
    await page.getByText('No results.').waitFor()
    expect(await palette.group('Users').count()).toBe(0)
    await palette.field.fill('log out')
    await eventually(palette.current).toBe('Sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await close()
  })
})
