import { server, setUpWatched } from '../../file-service.ts'

export { server, watcher } from '../../file-service.ts'

type Options = Record<string, unknown>

export const importing = (content: string, options: Options = {}, name = 'file') =>
  server.call('POST /api/prompts/import', { body: { files: [{ name, content }], ...options } })

export const outcomes = (reply: {
  body: { data: { items: { key: string; env: string; outcome: string }[] } }
}) => reply.body.data.items.map(({ key, env, outcome }) => `${outcome} ${key} ${env}`)

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(async () => {
    await server.call('POST /api/workspaces', { body: { name: 'Copy' } })
  })
