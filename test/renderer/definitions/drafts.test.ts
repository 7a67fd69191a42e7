import { beforeAll, describe, expect, it } from 'vitest'
import type { Visit } from '../../support/browser.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { agentsPage } from '../support/pages/agents.ts'
import { loginPage } from '../support/pages/login.ts'
import { usersPage } from '../support/pages/users.ts'
import { workflowPage } from '../support/pages/workflows.ts'
import { expectNoDialog } from '../support/shell.ts'
import { followPath, openPath } from '../support/warm.ts'

describe('When the session ends during editing', { timeout: patience }, () => {
  const console = setUpConsole()
  beforeAll(async () => {
    prompt = await addReleased()
  })
  const client = () => console.server.client()
  const openAsWriter = async () => {
    const writer = await console.server.signedIn('editor')
    return { writer, ...(await console.visit(writer.token)) }
  }
  type Writer = Awaited<ReturnType<typeof openAsWriter>>['writer']
  const endSession = (page: Visit['page'], writer: Writer) =>
    loginPage(page).endSession(console.server, writer)

  let prompt: string
  const addReleased = async () => {
    const { prompts, promptVersions } = client()
    const { id } = (await prompts.create({ body: { key: 'kept/prompt', content: 'One', env: 'dev' } })).data
    await prompts.update({ params: { id }, body: { content: 'Two' } })
    await promptVersions.publish({ params: { id }, body: {} })
    await prompts.update({ params: { id }, body: { content: 'Three' } })
    return id
  }

  it('the draft of a workflow is restored with its steps, only for its author', async () => {
    const steps = [{ name: 'ask', type: 'render' as const, template: 'Hi' }]
    const { data } = await client().workflows.create({ body: { key: 'kept/flow', steps } })
    const { writer, page, close } = await openAsWriter()
    const workflow = workflowPage(page)
    await workflow.goto(data.id)
    await workflow.card('ask').getByRole('textbox', { name: 'Name' }).fill('greet')
    await workflow.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await endSession(page, writer)
    await loginPage(page).signIn(writer.username, writer.password)
    await workflow.status.filter({ hasText: 'Unsaved changes' }).waitFor()
    await eventually(workflow.order).toEqual(['greet'])
    await endSession(page, writer)
    const other = await console.server.signedIn('editor')
    await loginPage(page).signIn(other.username, other.password)
    await eventually(workflow.order).toEqual(['ask'])
    expect(await workflow.status.innerText()).not.toContain('Unsaved')
    await close()
  })

  type Opener = { path: string; menu: string; item?: string; field?: string }
  const ofPages: Opener[] = [
    {
      path: '/tokens',
      menu: 'Actions for the API token kept',
      item: 'Change budget…',
      field: 'Tokens per day',
    },
    { path: '/agents', menu: 'Actions for kept/twin', item: 'Duplicate…', field: 'Key' },
    { path: '/clients', menu: 'Views', item: 'Save view', field: 'Name' },
    { path: '/prompts', menu: 'Create prompt', field: 'Content' },
  ]
  const ofPrompt: Opener[] = [
    { path: '/prompts/{prompt}', menu: 'Publish' },
    { path: '/prompts/{prompt}?tab=runs', menu: 'Create alert on Runs', field: 'Name' },
    { path: '/prompts/{prompt}?tab=versions', menu: 'Roll back to v1' },
    { path: '/playground?prompt={prompt}', menu: 'Save as', item: 'New prompt', field: 'Key' },
  ]
  it.each([
    ['lists', ofPages],
    ['a prompt', ofPrompt],
  ])('the dialogs of %s are opened again, with what was typed', async (_name, openers) => {
    await console.server.call('POST /api/tokens', {
      body: { name: 'kept', binding: 'service', gateway: true },
    })
    await console.server.call('POST /api/agents', { body: { key: 'kept/twin', content: 'One' } })
    const writer = await console.server.signedIn('admin')
    const { page, close } = await console.visit(writer.token)
    await openPath(page, '/workspaces')
    for (const { path, menu, item, field = 'Message (optional)' } of openers) {
      await followPath(page, path.replace('{prompt}', prompt))
      await page.getByRole('button', { name: menu }).first().click()
      if (item !== undefined) await page.getByRole('menuitem', { name: item }).click()
      const { dialog, ...form } = agentsPage(page).dialog
      await form.field(field).fill('77')
      await page.keyboard.press('Tab')
      await endSession(page, writer)
      await loginPage(page).signIn(writer.username, writer.password)
      await dialog.getByText('have been restored').waitFor()
      expect(await form.field(field).inputValue(), menu).toBe('77')
      await page.keyboard.press('Escape')
      await form.button('Discard').click()
      await page.locator('[aria-modal="true"]').first().waitFor({ state: 'detached' })
    }
    await close()
  })

  it('a form is not opened again if only a password was typed, which is not stored', async () => {
    const writer = await console.server.signedIn('admin')
    const { page, close } = await console.visit(writer.token)
    const users = usersPage(page)
    await users.goto()
    await users.add.click()
    await users.dialog.field('Password').fill('a phrase nobody knows')
    await endSession(page, writer)
    await loginPage(page).signIn(writer.username, writer.password)
    await users.row(writer.username).waitFor()
    await expectNoDialog(page)
    await close()
  })
})
