import { post, send } from './service.mjs'

const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
const params = {
  temperature: 0.2,
  max_tokens: 400,
  stop: ['END'],
  tools: [
    {
      name: 'find_order',
      description: 'Looks up an order',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  ],
  response_format: { type: 'json_schema', json_schema: { name: 'response', schema } },
}
const messages = [
  { role: 'system', content: 'You help the customers of {{company.name}}.\n\n{{> shared/tone}}' },
  { placeholder: 'history' },
  { role: 'user', content: 'Where is my order {{order.id}}?' },
]

/** Creates a chat that includes another prompt, with two versions and a draft. Returns its id. @param {string} url */
export async function makeChats(url) {
  await post(url, '/api/prompts', { key: 'shared/tone', env: 'dev', content: 'Be brief and friendly.' })
  const chat = { key: 'support/order', env: 'dev', type: 'chat', messages, params, model: 'gpt-4o' }
  const { id } = (await post(url, '/api/prompts', chat)).data
  const shorter = [...messages.slice(0, 2), { role: 'user', content: 'Order {{order.id}}?' }]
  await send('PATCH', url, `/api/prompts/${id}`, {
    messages: shorter,
    params: { ...params, temperature: 0.4 },
  })
  await post(url, `/api/prompts/${id}/publish`, { message: 'Shorter question' })
  await send('PATCH', url, `/api/prompts/${id}`, { messages: [...shorter].reverse() })
  return { id: String(id) }
}

/**
 * Takes pictures of a chat in the editor, its parameters and versions, and in the Playground.
 * @param {{ page: import('playwright').Page, url: string, chats: { id: string }, suffix: string,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void> }} options
 */
export async function chatScreens({ page, url, chats, suffix, shoot, waitForPage }) {
  await page.goto(`${url}/prompts/${chats.id}`)
  await waitForPage(page)
  await shoot(page, `chat-edit-${suffix}`)
  await page.getByRole('list', { name: 'Tools' }).scrollIntoViewIfNeeded()
  await shoot(page, `chat-parameters-${suffix}`)
  await page.goto(`${url}/prompts/${chats.id}?tab=versions`)
  await waitForPage(page)
  await page.getByTestId('diff').first().waitFor()
  await shoot(page, `chat-versions-${suffix}`)
  await page.goto(`${url}/playground?prompt=${chats.id}`)
  await page.getByTestId('source-state').waitFor()
  await waitForPage(page)
  await shoot(page, `chat-playground-${suffix}`)
}
