import type { Page } from 'playwright'
import { expect, it } from 'vitest'
import { axeFaults, openDialog } from './support/axe.ts'
import { eventually, patience, setUpConsole } from './support/console.ts'
import { palettePart } from './support/palette.ts'
import { dialogPart, toast } from './support/parts.ts'
import { shell } from './support/shell.ts'
import { followPath, openPath } from './support/warm.ts'

const console = setUpConsole()

const lists = [
  { page: 'prompts', address: '/prompts', query: 'env=dev&tag=letter', hasColumns: true },
  { page: 'clients', address: '/clients', query: 'kind=console', hasColumns: true },
  { page: 'clients', address: '/clients', query: 'group=app', hasColumns: false },
  { page: 'statistics', address: '/statistics', query: 'by=provider&metric=cost_usd', hasColumns: false },
] as const

const shownParams = (page: Page): Record<string, string> =>
  Object.fromEntries(new URL(page.url()).searchParams)

it.each(lists)(
  'saves a view of $page?$query, opens it by palette, and deletes it',
  async (list) => {
    const { token } = await console.server.signedIn('editor')
    const { page, faults, close } = await console.visit(token)
    await openPath(page, `${list.address}?${list.query}`)
    const views = (name: string) => page.getByRole('button', { name, exact: true })
    await views('Views').click()
    await page.getByRole('menuitem', { name: 'Save view' }).click()
    const { field, button, dialog } = dialogPart(page)
    await field('Name').fill('Daily list')
    expect(await dialog.getByLabel('Include the visible columns').count()).toBe(list.hasColumns ? 1 : 0)
    await dialog.getByLabel('Share with a workspace').check()
    // The dialog of other pages is the same.
    if (list.page === 'prompts') expect(await axeFaults(page, openDialog)).toEqual([])
    await button('Save view').click()
    await toast(page, 'Daily list saved.').waitFor()
    await views('Daily list').waitFor()
    const [saved] = (await console.server.call('GET /api/views')).body.data
    expect(saved).toMatchObject({ page: list.page, shared: true, name: 'Daily list' })
    expect(new URLSearchParams(saved.query)).toEqual(new URLSearchParams(list.query))

    await followPath(page, '/users')
    await shell(page).heading('Users').waitFor()
    const palette = palettePart(page)
    await palette.open()
    await palette.field.fill('Daily list')
    await palette.option(/Daily list/).click()
    await eventually(() => shownParams(page)).toMatchObject({
      ...Object.fromEntries(new URLSearchParams(list.query)),
      view: saved.id,
    })
    expect(new URL(page.url()).pathname).toBe(list.address)
    await views('Daily list').click()
    await page.getByRole('menuitem', { name: 'Delete Daily list' }).click()
    await button('Delete view').click()
    await views('Views').waitFor()
    expect(shownParams(page)).not.toHaveProperty('view')
    expect((await console.server.call('GET /api/views')).body.total).toBe(0)
    expect(faults).toEqual([])
    await close()
  },
  patience,
)

it(
  'keeps the open view of prompts when a folder is chosen, and leaves it for the trash',
  async () => {
    const client = console.server.client()
    await client.prompts.create({ body: { key: 'mail/one', env: 'dev', content: 'Hi' } })
    const old = await client.prompts.create({ body: { key: 'old', env: 'dev', content: 'Hi' } })
    await client.prompts.remove({ params: { id: old.data.id } })
    const { token } = await console.server.signedIn('editor')
    const { data } = (
      await console.server.call('POST /api/views', {
        token,
        body: { name: 'Mine', page: 'prompts', query: '' },
      })
    ).body
    const { page, close } = await console.visit(token)
    await openPath(page, `/views/${data.id}`)
    await page.getByRole('button', { name: 'Mine', exact: true }).waitFor()
    const tree = page.getByRole('tree')
    await tree.getByText('mail').click()
    await page.getByRole('button', { name: 'Mine (changed)', exact: true }).waitFor()
    await tree.getByText('Trash').click()
    await eventually(() => shownParams(page)['view']).toBe('trash')
    expect(await page.getByRole('button', { name: /^Mine/ }).count()).toBe(0)
    await close()
  },
  patience,
)
