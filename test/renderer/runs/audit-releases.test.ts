import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { auditPage } from '../support/pages/audit.ts'

let console: Console
let token: string
beforeAll(async () => {
  console = await openConsole()
  token = await console.server.login('admin', 'admin')
})
afterAll(() => console.close())

const call = (what: string, body?: unknown) => console.server.call(what, { token, body })

it('links from each way of publishing to the changes of the version, whatever the key contains', {
  timeout: patience,
}, async () => {
  const key = 'my notes v9 in dev'
  const created = await call('POST /api/prompts', { key, env: 'dev', content: 'Hi' })
  expect(created.status).toBe(201)
  const { id } = created.body.data
  for (const [what, body] of [
    [`PUT /api/prompts/${id}`, { content: 'Hi all', version: 'v2' }],
    [`PATCH /api/prompts/${id}`, { content: 'Hello' }],
    [`POST /api/prompts/${id}/publish`, {}],
    [`POST /api/prompts/${id}/rollback`, { version: 'v1' }],
  ] as const)
    expect(await call(what, body)).toMatchObject({ status: 200 })
  const { data } = (await call(`GET /api/audit?resource_id=${id}`)).body
  const entries = data.filter(({ action }: { readonly action: string }) => action !== 'update')
  const { page, close } = await console.visit(token)
  const audit = auditPage(page)
  for (const [index, version] of ['v4', 'v3', 'v2', 'v1'].entries()) {
    await audit.goto(`/${entries[index].id}`)
    await audit.link('Show changes').click()
    await eventually(() => new URL(page.url()).searchParams.get('to')).toBe(version)
  }
  await close()
})
