import { beforeAll, describe, expect, it } from 'vitest'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { loginPage } from '../support/pages/login.ts'
import { usersPage } from '../support/pages/users.ts'
import { holdRequests } from '../support/replies.ts'
import { expectNoDialog, shell } from '../support/shell.ts'

describe('Users', { timeout: patience }, () => {
  const console = setUpConsole()
  let admin: string
  let count = 0
  const password = 'a phrase nobody guesses'
  const add = async (role: 'viewer' | 'editor' | 'admin' = 'viewer', name = `person-${++count}`) => {
    const reply = await console.server.call('POST /api/users', { body: { username: name, password, role } })
    expect(reply.status).toBe(201)
    return { id: reply.body.data.id as string, username: name }
  }
  const open = async (search = '') => {
    const { page, faults, close } = await console.visit(admin)
    const users = usersPage(page)
    await users.goto(search)
    return { page, users, faults, close }
  }
  beforeAll(async () => {
    admin = await console.server.login('admin', 'admin')
  })

  it("adds a user by keyboard, with the service's errors at the fields", async () => {
    await add('viewer', 'Edda')
    const { page, users, faults, close } = await open()
    await users.table.waitFor()
    await page.keyboard.press('n')
    await users.fill({ username: 'edda', password: 'password', role: 'Editor' })
    await page.keyboard.press('Enter')
    await users.dialog.dialog
      .getByText(/password/i)
      .filter({ hasText: /common/i })
      .waitFor()
    await users.dialog.field('Password').fill(password)
    await page.keyboard.press('Enter')
    await users.dialog.dialog.getByText(/taken|already/i).waitFor()
    await users.dialog.field('Username').fill('Grace Hopper')
    await page.keyboard.press('Enter')
    await eventually(() => users.drawer.title.innerText()).toBe('Grace Hopper')
    const { data } = await console.server.client().users.list({ query: { q: 'Grace' } })
    expect(data).toMatchObject([{ username: 'Grace Hopper', role: 'editor', must_change_password: true }])
    expect(faults).toEqual([])
    await close()
  })

  it('asks before input is discarded', async () => {
    const { page, users, close } = await open()
    await users.add.click()
    await users.dialog.field('Username').fill('half')
    await page.keyboard.press('Escape')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    expect(await users.dialog.field('Username').inputValue()).toBe('half')
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog', { name: 'Add user' }).waitFor({ state: 'detached' })
    await close()
  })

  it('changes a role in place after naming the consequence', async () => {
    const { id, username } = await add()
    const { users, close } = await open(`?q=${username}`)
    await users.pickRole(username, 'Editor')
    expect(await users.dialog.dialog.innerText()).toContain('Applies from the next request')
    await users.dialog.button('Change to Editor').click()
    await eventually(() => users.roleOf(username).innerText()).toBe('Editor')
    expect((await console.server.client().users.get({ params: { id } })).data.role).toBe('editor')
    await close()
  })

  it('explains why the last admin must remain', async () => {
    const { page, users, close } = await open('?role=admin')
    await users.open('admin')
    await users.drawer.drawer.getByText('The last active admin cannot be demoted').waitFor()
    await users.drawer.action('Delete').click({ force: true })
    await users.drawer.action('Disable').click({ force: true })
    await users.drawer.action('Delete').hover()
    await page.getByRole('tooltip').filter({ hasText: 'The last active admin' }).waitFor()
    await expectNoDialog(page)
    await close()
  })

  it('disables and enables users, and shows and ends their sessions', async () => {
    const { username } = await add()
    const userToken = await console.server.login(username, password)
    const { users, close } = await open(`?q=${username}`)
    await users.open(username)
    await users.drawer.action('Disable').click()
    await users.dialog.button('Disable').click()
    await users.row(username).getByText('Disabled').waitFor()
    expect((await console.server.call('GET /api/me', { token: userToken })).status).toBe(401)
    await users.drawer.action('Enable').click()
    await users.dialog.button('Enable').click()
    await users.row(username).getByText('Active').waitFor()
    const nextToken = await console.server.login(username, password)
    await users.drawer.drawer.getByText('127.0.0.1').waitFor()
    await users.drawer.action('End all sessions').click()
    await users.dialog.button('End sessions').click()
    await users.drawer.drawer.getByText('Not signed in anywhere.').waitFor()
    expect((await console.server.call('GET /api/me', { token: nextToken })).status).toBe(401)
    await close()
  })

  it('deletes only after the name was typed', async () => {
    const { id, username } = await add()
    const { page, users, close } = await open(`/${id}`)
    await users.drawer.action('Delete').click()
    await users.dialog.button('Delete').click({ force: true })
    expect((await console.server.call(`GET /api/users/${id}`)).status).toBe(200)
    await users.dialog.dialog.getByRole('textbox').fill(username)
    // A dialog whose request is in progress stays, so that a failure has a place.
    const { sent, release } = await holdRequests(page, `**/api/users/${id}`, 'DELETE')
    await page.keyboard.press('Enter')
    await sent
    await page.keyboard.press('Escape')
    await users.dialog.button('Cancel').click()
    await users.dialog.dialog.waitFor()
    release()
    await users.drawer.drawer.waitFor({ state: 'detached' })
    expect((await console.server.call(`GET /api/users/${id}`)).status).toBe(404)
    await close()
  })

  it('closes the form of a deleted user, unless it has unsaved changes', async () => {
    const [first, second] = [await add(), await add()]
    const { page, users, close } = await open(`/${first.id}`)
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await users.drawer.action('Edit').click()
    await users.dialog.field('Username').waitFor()
    await console.server.call(`DELETE /api/users/${first.id}`)
    await users.drawer.drawer.getByText('User not found.').waitFor()
    await expectNoDialog(page)
    expect(await users.drawer.action('Delete').count()).toBe(0)

    await users.goto(`/${second.id}`)
    await users.drawer.action('Edit').click()
    await users.dialog.field('Username').fill('typed')
    await console.server.call(`DELETE /api/users/${second.id}`)
    await users.drawer.drawer.getByText('This item has been deleted').waitFor()
    expect(await users.dialog.field('Username').inputValue()).toBe('typed')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await users.drawer.drawer.getByText('User not found.').waitFor()
    await close()
  })

  it('keeps filters, sort and the open row in the address', async () => {
    await add('editor', 'filter-editor')
    await add('viewer', 'filter-viewer')
    const { page, users, close } = await open('?q=filter')
    await eventually(() => users.rows.count()).toBe(2)
    await users.filters.add('Role', 'Editor')
    await eventually(() => users.rows.count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?q=filter&role=editor')
    await users.filters.remove('Role')
    await users.sortBy('Username')
    await expect
      .poll(async () => (await users.column(0)).map((text) => text.split('\n').at(-1)))
      .toEqual(['filter-viewer', 'filter-editor'])
    await users.open('filter-viewer')
    await eventually(() => users.drawer.title.innerText()).toBe('filter-viewer')
    await page.keyboard.press('ArrowDown')
    await eventually(() => users.drawer.title.innerText()).toBe('filter-editor')
    const address = page.url()
    await page.goto(address)
    await eventually(() => users.drawer.title.innerText()).toBe('filter-editor')
    await users.drawer.action('Delete').click()
    await users.dialog.button('Delete').waitFor()
    await page.goBack()
    await page.goBack()
    await users.drawer.drawer.waitFor({ state: 'detached' })
    await expectNoDialog(page)
    await close()
  })

  it('pages by cursor, also after a reload', async () => {
    for (let index = 0; index < 55; index += 1) await add('viewer', `many-${String(index).padStart(2, '0')}`)
    const { page, users, close } = await open('?q=many')
    await eventually(() => users.range.innerText()).toBe('1–50 of 55')
    await page.getByRole('button', { name: 'Next', exact: true }).click()
    await eventually(() => users.range.innerText()).toBe('51–55 of 55')
    await page.reload()
    await eventually(() => users.range.innerText()).toBe('51–55 of 55')
    await page.getByRole('button', { name: 'Previous', exact: true }).click()
    await eventually(() => users.range.innerText()).toBe('1–50 of 55')
    await close()
  })

  it('shows changes of others automatically', async () => {
    const { page, users, close } = await open('?q=appears')
    await page.getByTestId('empty').waitFor()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await add('viewer', 'appears-by-itself')
    await users.row('appears-by-itself').waitFor()
    await close()
  })

  it('shows names unchanged', async () => {
    const names = ['مريم علي', '🦊 fox', 'x'.repeat(64), '<img src=x onerror=alert(1)>']
    for (const name of names) await add('viewer', name)
    const { users, faults, close } = await open('?sort=-created_at')
    for (const name of names) await users.row(name).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('explains which role the page requires to a user who is no longer an admin, and ends with the user', async () => {
    const { id, token } = await console.server.signedIn('admin')
    const { page, close } = await console.visit(token)
    await usersPage(page).goto()
    await eventually(() => shell(page).live.innerText()).toBe('Live')
    await console.server.call(`PATCH /api/users/${id}`, { body: { role: 'viewer' } })
    await page.getByTestId('forbidden').filter({ hasText: 'requires the role Admin' }).waitFor()
    expect(await shell(page).link('Users').count()).toBe(0)
    await console.server.call(`DELETE /api/users/${id}`)
    await loginPage(page).button.waitFor()
    await close()
  })
})
