import { type ApiClient, ApiError } from '../../../contract/client.ts'
import type { Reader, State } from './ledger.ts'

/** Returns `gone` for a 404; other errors are rethrown. */
async function orGone(read: Promise<State>): Promise<State> {
  try {
    return await read
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 'gone'
    throw error
  }
}

/** Creates readers for all kinds of resources that the load changes. */
export function createReaders(api: ApiClient): Readonly<Record<string, Reader>> {
  return {
    workspace: (id) =>
      orGone(
        api.workspaces.get({ params: { id } }).then(({ data }) => ({
          name: data.name,
          description: data.description,
        })),
      ),
    user: (id) =>
      orGone(
        api.users.get({ params: { id } }).then(({ data }) => ({ role: data.role, disabled: data.disabled })),
      ),
    prompt: (id) =>
      orGone(
        api.prompts.get({ params: { id } }).then(({ data }) => ({
          content: data.content,
          served: data.served?.content ?? null,
        })),
      ),
    agent: (id) =>
      orGone(api.agents.get({ params: { id } }).then(({ data }) => ({ content: data.content ?? null }))),
    workflow: (id) => orGone(api.workflows.get({ params: { id } }).then(({ data }) => ({ name: data.name }))),
    setting: () =>
      api.settings.get({}).then(({ data }) => ({ payload_retention_days: data.payload_retention_days })),
    provider: (name) => api.providers.get({ params: { name } }).then(({ data }) => ({ models: data.models })),
    // Tokens have no route for a single one, so the key also contains the name: `<id>|<name>`.
    token: async (key) => {
      const [id = '', name = ''] = key.split('|')
      const { data } = await api.tokens.list({ query: { limit: 200, q: name } })
      return data.some((token) => token.id === id) ? { name } : 'gone'
    },
  }
}
