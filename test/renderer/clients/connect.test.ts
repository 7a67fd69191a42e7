import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceToken } from '../../support/service.ts'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard } from '../support/clipboard.ts'
import { canRun, connectPart, hasClient, type Language, runSnippet } from '../support/connect.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { problem } from '../support/pages/runs.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('connect your app', { timeout: patience }, () => {
  let console: Console
  let admin: string
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    execFileSync(process.execPath, ['sdk/js/build.mjs'])
  })
  afterAll(() => console.close())

  const open = async (view = {}, token = admin) => {
    const { page, close, faults } = await console.visit(token, view)
    await allowClipboard(page)
    await openPath(page, '/clients')
    await shell(page).heading('Clients').waitFor()
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    const part = connectPart(page)
    await part.dialog.waitFor()
    return { page, close, faults, part }
  }
  const clients = async () =>
    (await console.server.call('GET /api/clients?namespace=test')).body.data as {
      app: string
      client_type: string
      workspace: string
    }[]

  const languages = [
    { language: 'Node', app: 'my-node-app', type: 'node-sdk' },
    { language: 'Python', app: 'my-python-app', type: 'python-sdk' },
    { language: 'Java', app: 'my-java-app', type: 'java-sdk' },
  ] as const
  for (const { language, app, type } of languages) {
    it.skipIf(!canRun(language))(
      `runs the ${language} snippet: a run is logged, the app connects`,
      async () => {
        const { page, part, close } = await open()
        await part.namespace('test').click()
        await part.dialog.getByRole('combobox', { name: 'Workspace' }).click()
        await page.getByRole('option', { name: 'Team Blue' }).click()
        const code = await part.copy(language)
        expect(code).toContain(console.server.url)
        const runs = async () =>
          (await console.server.call('GET /api/runs?workspace=team-blue&ref_key=greet')).body.total as number
        const before = await runs()
        const program = await runSnippet(language, code, serviceToken)
        await eventually(async () => `${(await clients()).length} ${program.output()}`).toMatch(/^1 201 /)
        expect(await clients()).toMatchObject([{ app, client_type: type, workspace: 'team-blue' }])
        expect(await runs()).toBe(before + 1)
        await eventually(program.output).toContain('"type":"hello"')
        await program.stop()
        await eventually(async () => (await clients()).length).toBe(0)
        await close()
      },
    )
  }

  for (const { language, app, type } of languages) {
    it.skipIf(!hasClient(language))(
      `runs the ${language} snippet with the client package: a run is logged, the app connects`,
      async () => {
        const { part, close } = await open()
        await part.namespace('test').click()
        await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
        const code = await part.copy(language)
        const runs = async () =>
          (await console.server.call('GET /api/runs?ref_key=greet')).body.total as number
        const before = await runs()
        const program = await runSnippet(language, code, serviceToken)
        await eventually(program.output).toContain('connected')
        expect(await clients()).toMatchObject([{ app, client_type: type, workspace: 'default' }])
        await eventually(runs).toBe(before + 1)
        await program.stop()
        await eventually(async () => (await clients()).length).toBe(0)
        await close()
      },
    )
  }

  it.skipIf(!canRun('curl'))('runs the curl snippet', async () => {
    const { part, close } = await open()
    const program = await runSnippet('curl', await part.copy('curl'), serviceToken)
    await eventually(program.output).toContain('"ref_key":"greet"')
    await program.stop()
    await close()
  })

  it('runs the WebSocket snippet with the token inserted, and shows it only then', async () => {
    const viewer = (await console.server.signedIn('viewer')).token
    const { page, part, close } = await open({}, viewer)
    expect(await page.content()).not.toContain(viewer)
    await part.namespace('test').click()
    await part.dialog.getByRole('switch', { name: 'Insert a working token' }).check()
    await part.dialog.getByText('This is your session token.', { exact: false }).waitFor()
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(program.output).toContain('"type":"hello"')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await program.stop()
    await close()
  })

  it('creates a token for that environment, with which the snippet works until it is revoked', async () => {
    const { page, part, close, faults } = await open()
    await part.namespace('test').click()
    const create = part.dialog.getByRole('button', { name: 'Create API token' })
    await create.click()
    await part.dialog.getByText('The snippets contain a new API token', { exact: false }).waitFor()
    expect(await create.isDisabled()).toBe(true)
    const [token] = (await console.server.call('GET /api/tokens')).body.data
    expect(token).toMatchObject({ role: 'viewer', namespaces: ['test'], name: 'App in test of default' })
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await console.server.call(`DELETE /api/tokens/${token.id}`)
    await eventually(program.output).toContain('closed 4401')
    await program.stop()
    // It would be rejected for another environment: the snippet uses the environment variable again.
    await part.namespace('prod').click()
    expect(await part.copy('WebSocket')).toContain('"PROMPTDECK_TOKEN"')
    expect(await create.isEnabled()).toBe(true)
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await close()
  })

  it('shows why a token could not be created', async () => {
    const { page, part, close } = await open()
    await page.route('**/api/tokens', (route) =>
      route.fulfill(problem(507, 'store.full', 'The store is full')),
    )
    await part.dialog.getByRole('button', { name: 'Create API token' }).click()
    await part.dialog.getByRole('alert').getByText('The store is full').first().waitFor()
    expect(await part.copy('Node')).toContain('process.env.PROMPTDECK_TOKEN')
    await close()
  })

  it('passes axe with every language, and fits 640 px', async () => {
    const { page, part, close, faults } = await open({ width: 640 })
    for (const language of ['curl', 'Node', 'Python', 'Java', 'WebSocket'] satisfies Language[]) {
      await part.tab(language).click()
      await part.code(language).waitFor()
    }
    expect(await axeFaults(page)).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await close()
  })
})
