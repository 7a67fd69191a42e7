import { expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

setUpService()

const deleted = async () => (await server.call('GET /api/deleted-workspaces')).body.data

it('deleted workspaces keep their last name, newest first; existing ones are not among them', async () => {
  expect(await deleted()).toEqual([])
  const ids: string[] = []
  for (const name of ['Team Red', 'Team Green', 'Team Blue']) {
    ids.push((await server.call('POST /api/workspaces', { body: { name } })).body.data.id)
  }
  const [red, green] = ids
  await server.call(`PATCH /api/workspaces/${red}`, { body: { name: 'Team Crimson' } })
  expect(await deleted()).toEqual([])
  await server.call(`DELETE /api/workspaces/${red}`)
  await server.call(`DELETE /api/workspaces/${green}`)
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(await deleted()).toEqual([
    { id: green, name: 'Team Green', slug: 'team-green', deleted_at: at },
    { id: red, name: 'Team Crimson', slug: 'team-red', deleted_at: at },
  ])
})
