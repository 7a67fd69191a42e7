import { server, setUpService as start } from '../file-service.ts'

export { server } from '../file-service.ts'

export let editor: { id: string; username: string; token: string }

export let promoted: { id: string; username: string; token: string }

export let reader: { id: string; username: string; token: string }

export let team: { id: string; slug: string }

/** Number of entries before the tests. */
export let entries: number

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  start(async () => {
    editor = await server.signedIn('editor', 'edda')
    promoted = await server.signedIn('viewer', 'vera')
    reader = await server.signedIn('viewer', 'rita')
    const created = await server.call('POST /api/workspaces', {
      token: editor.token,
      body: { name: 'Team Nord' },
    })
    team = created.body.data
    await server.call(`PATCH /api/workspaces/${team.id}`, { token: editor.token, body: { name: 'Team Süd' } })
    await server.call(`PATCH /api/users/${promoted.id}`, { body: { role: 'editor' } })
    entries = (await server.call('GET /api/audit')).body.total
  })

/** Counts entries that a test adds. */
export function addEntries(count: number): void {
  entries += count
}
