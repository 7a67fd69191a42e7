import { once } from 'node:events'
import { expect, it } from 'vitest'
import WebSocket from 'ws'
import { eventually, patience, setUpConsole } from '../renderer/support/console.ts'
import { loginPage } from '../renderer/support/pages/login.ts'
import { usersPage } from '../renderer/support/pages/users.ts'
import { workspacesPage } from '../renderer/support/pages/workspaces.ts'
import { tablePart } from '../renderer/support/parts.ts'
import { shell } from '../renderer/support/shell.ts'

// The first steps of a team, from an empty service.
const console = setUpConsole({ env: { SERVICE_TOKEN: '' } })

const defaultToken = 'promptdeck-dev-token'

it('signs in, adds users and a workspace, sees a run and an app appear, and all of it in Audit', {
  timeout: patience * 3,
}, async () => {
  const { page, faults } = await console.visit(null)
  const frame = shell(page)
  await loginPage(page).open()
  await loginPage(page).signIn('admin', 'admin')
  await frame.heading('Overview').waitFor()

  // Users.
  const users = usersPage(page)
  await users.goto()
  for (const [username, role] of [
    ['vera', 'Viewer'],
    ['edda', 'Editor'],
  ] as const) {
    await users.add.click()
    await users.fill({ username, password: `a long phrase of ${username}`, role })
    await users.submit()
    await users.row(username).waitFor()
    // The list may update before the form gets its reply and opens the drawer.
    await users.drawer.dismiss(username)
  }

  // A workspace.
  const workspaces = workspacesPage(page)
  await workspaces.goto()
  await workspaces.create.click()
  await workspaces.dialog.field('Name').fill('Team Blue')
  await page.keyboard.press('Enter')
  await workspaces.row('team-blue').waitFor()
  await workspaces.drawer.dismiss('Team Blue')

  // A run that is reported elsewhere appears automatically.
  await frame.link('Runs').click()
  const runs = tablePart(page, 'Runs')
  await frame.heading('Runs').waitFor()
  const reported = await console.server.call('POST /api/runs', {
    token: defaultToken,
    body: {
      provider: 'openai',
      model: 'gpt-4o',
      latency_ms: 1240,
      status: 'ok',
      ref_key: 'greet',
      workspace_id: 'team-blue',
    },
  })
  expect(reported.status).toBe(201)
  await runs.row('greet').waitFor()

  // An app connects and disconnects.
  await frame.link('Clients').click()
  const clients = tablePart(page, 'Clients')
  await frame.heading('Clients').waitFor()
  const url = `${console.server.url.replace('http', 'ws')}/ws?client=node-sdk&app=checkout&namespace=prod`
  const app = new WebSocket(url, { headers: { authorization: `Bearer ${defaultToken}` } })
  await once(app, 'message')
  await clients.row('checkout').waitFor()
  app.close()
  await eventually(() => clients.row('checkout').count()).toBe(0)

  // Every change is in the audit log with actor, action, object, before and after.
  const { body } = await console.server.call('GET /api/audit?limit=200', { token: defaultToken })
  const seen = body.data.map(({ actor, action, resource, key }: Record<string, string>) =>
    [actor, action, resource, key].join(' '),
  )
  expect(seen).toEqual([
    'admin create workspace team-blue',
    'admin create user edda',
    'admin create user vera',
    'admin login session admin',
    'system create user admin',
    'system create workspace default',
  ])
  const edda = body.data.find((entry: { key: string }) => entry.key === 'edda')
  const { data } = (await console.server.call(`GET /api/audit/${edda.id}`, { token: defaultToken })).body
  expect(data).toMatchObject({ before: null, after: { username: 'edda', role: 'editor' } })
  await frame.link('Audit').click()
  await frame.heading('Audit').waitFor()
  for (const name of ['vera', 'edda', 'team-blue'])
    await page.getByRole('table').getByText(name).first().waitFor()
  expect(faults).toEqual([])
})
