import { once } from 'node:events'
import { WebSocket } from 'ws'
import { post, send, token } from './service.mjs'

/** @param {string} url @param {string} path @param {unknown} body */
const patch = (url, path, body) => send('PATCH', url, path, body)

const text = [
  'You are a friendly support agent of {{company.name}}.',
  '',
  'Greet {{name}} and answer the question in at most five sentences.',
  'Never promise a refund before {{order.id}} was checked.',
  '',
  'Question: {{question}}',
].join('\n')

/**
 * Creates a prompt with versions in three environments, an unpublished draft, and apps of which two use an
 * outdated version.
 * @param {string} url
 */
export async function makePrompts(url) {
  const ids = await createPrompts(url)
  await reportRuns(url)
  const sockets = []
  for (let index = 1; index <= 14; index++) sockets.push(await connectApp(url, index))
  await changePrompts(url, ids)
  return {
    id: String(ids['prod']),
    dev: String(ids['dev']),
    guarded: await createGuarded(url),
    disconnect: () => {
      for (const socket of sockets) socket.close()
    },
  }
}

/**
 * Returns the ids of the prompt by environment.
 * @param {string} url
 */
async function createPrompts(url) {
  /** @type {Record<string, string>} */
  const ids = {}
  for (const env of ['dev', 'test', 'prod']) {
    const body = {
      key: 'support/greet',
      name: 'Greeting',
      env,
      model: 'gpt-4o',
      content: text,
      tags: ['chat'],
    }
    ids[env] = (await post(url, '/api/prompts', body)).data.id
  }
  for (const key of ['billing/refund', 'billing/dunning.mild', 'search/rewrite', 'onboarding']) {
    await post(url, '/api/prompts', { key, env: 'prod', content: `Write about ${key} to {{customer.name}}.` })
  }
  return ids
}

/** @param {string} url */
async function reportRuns(url) {
  const hour = 3_600_000
  const runs = Array.from({ length: 120 }, (_, index) => ({
    provider: 'openai',
    model: 'gpt-4o',
    ref_key: 'support/greet',
    version: 'v1',
    variables: ['company.name', 'name', 'question', ...(index % 3 === 0 ? ['order.id'] : [])],
    latency_ms: 600 + ((index * 137) % 900),
    prompt_tokens: 300,
    output_tokens: 80,
    created_at: new Date(Date.now() - ((index * 7) % 22) * hour - (index % 50) * 60_000).toISOString(),
    ...(index % 17 === 0 ? { status: 'error', error: 'The model took too long' } : { status: 'ok' }),
  }))
  await post(url, '/api/runs', runs)
}

/**
 * Connects an app to prod. Apps after the twelfth never acknowledge a publish.
 * @param {string} url @param {number} index
 */
async function connectApp(url, index) {
  const app = index > 12 ? 'legacy-mailer' : (['checkout', 'storefront', 'support-bot'][index % 3] ?? '')
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(socket, 'open')
  const hello = { type: 'hello', client: 'node-sdk', app, namespace: 'prod', instance_id: `node-${index}` }
  socket.send(JSON.stringify({ ...hello, keys: ['support/greet'] }))
  await once(socket, 'message')
  socket.send(JSON.stringify({ type: 'ack', seq: 0, key: 'support/greet', version: 'v1' }))
  socket.on('message', (data) => {
    const { seq, key, version } = JSON.parse(String(data))
    const ack = JSON.stringify({ type: 'ack', seq, key, version })
    if (key === 'support/greet' && index <= 12) setTimeout(() => socket.send(ack), 40 * index)
  })
  return socket
}

/** @param {string} url @param {Record<string, string>} ids */
async function changePrompts(url, ids) {
  const prod = `/api/prompts/${ids['prod']}`
  await patch(url, prod, { content: text.replace('five', 'three') })
  await post(url, `${prod}/publish`, { message: 'Three sentences are enough' })
  await patch(url, prod, { content: text.replace('five', 'three').replace('{{name}}', '{{first_name}}') })
  await patch(url, `/api/prompts/${ids['dev']}`, { content: text.replace('five', 'four') })
  await post(url, `/api/prompts/${ids['dev']}/publish`, { message: 'Four' })
}

/**
 * Creates a prompt with a draft in a workspace that protects prod; returns its id.
 * @param {string} url
 */
async function createGuarded(url) {
  const team = (await post(url, '/api/workspaces', { name: 'Guarded', protected_envs: ['prod'] })).data
  const body = { key: 'support/farewell', env: 'prod', content: text, workspace_id: team.id, model: 'gpt-4o' }
  const guarded = await post(url, '/api/prompts', body)
  await patch(url, `/api/prompts/${guarded.data.id}`, { content: text.replace('five', 'two') })
  return guarded.data.id
}

/**
 * Takes pictures of the tabs of a prompt and of the dialogs of a release.
 * @param {{ page: import('playwright').Page, url: string, prompts: { id: string, dev: string }, suffix: string,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void> }} options
 */
export async function promptScreens({ page, url, prompts, suffix, shoot, waitForPage }) {
  const dialog = page.locator('[role="dialog"][aria-modal="true"]')
  for (const tab of ['edit', 'versions', 'runs', 'clients', 'audit']) {
    await page.goto(`${url}/prompts/${prompts.id}?tab=${tab}`)
    await waitForPage(page)
    await shoot(page, `prompt-${tab}-${suffix}`)
  }
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByTestId('diff').waitFor()
  await shoot(page, `prompt-publish-${suffix}`)
  await page.goto(`${url}/prompts/${prompts.dev}?tab=versions`)
  await page.getByRole('button', { name: 'Promote to test' }).click()
  await dialog.getByTestId('diff').waitFor()
  await shoot(page, `prompt-promote-${suffix}`)
  await page.goto(`${url}/prompts/${prompts.id}?tab=audit`)
  await page.getByTestId('sentence').first().click()
  await page.getByTestId('drawer').getByTestId('diff').waitFor()
  await shoot(page, `prompt-audit-drawer-${suffix}`)
  await page.goto(`${url}/prompts/${prompts.dev}`)
  await page.getByTestId('template').getByRole('textbox').click()
  // Edits the line that another user changes too: changes of different lines are merged without a dialog.
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.insertText('Answer in the language of the question. ')
  await patch(url, `/api/prompts/${prompts.dev}`, {
    content: `Written by somebody else, ${suffix}.\n\n{{question}}`,
  })
  await page.getByText('saved another draft').waitFor()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await dialog.getByTestId('diff').first().waitFor()
  await shoot(page, `prompt-conflict-${suffix}`)
  await page.getByRole('button', { name: 'Use their version' }).click()
  await page.goto(`${url}/prompts`)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const imported = [
    {
      key: 'onboarding',
      env: 'prod',
      content: 'Write about onboarding to {{customer.first_name}}.',
      tags: 'mail',
    },
    { key: 'billing/reminder', env: 'dev', content: 'Remind {{customer.name}}.' },
    { key: 'not a key', content: 'x' },
  ]
  await dialog.getByLabel('Or paste text').fill(JSON.stringify(imported))
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByRole('button', { name: 'Show changes of onboarding' }).click()
  await dialog.getByTestId('diff').last().waitFor()
  await shoot(page, `prompts-import-${suffix}`)
}

/**
 * Takes pictures of a prompt for limited users: a viewer, and an editor where prod is protected.
 * @param {{ page: import('playwright').Page, url: string, prompts: { id: string, guarded: string }, as: 'viewer' | 'editor',
 *   suffix: string, shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void> }} options
 */
export async function limitedPromptScreens({ page, url, prompts, as, suffix, shoot, waitForPage }) {
  for (const tab of ['edit', 'versions']) {
    await page.goto(`${url}/prompts/${as === 'viewer' ? prompts.id : prompts.guarded}?tab=${tab}`)
    await waitForPage(page)
    await shoot(page, `prompt-${tab}-${as}-${suffix}`)
  }
}
