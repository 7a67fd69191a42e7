import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/lib/root.mjs'

/**
 * Sends a request to the service, and returns the JSON of the reply.
 * @typedef {(method: string, path: string, body: object) => Promise<ReturnType<typeof JSON.parse>>} Send
 */
/** @typedef {Awaited<ReturnType<typeof makeContent>>} Content */

/** Returns the routes of the console, as in the manifests of its resources and in its router. */
export function consoleRoutes() {
  const files = readdirSync(join(root, 'renderer/features'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.resource.ts'))
    .map((file) => join('renderer/features', file))
  const paths = [...files, 'renderer/app/router.tsx'].flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bpath: '(\/[^']*)'/g)].map(([, path = '']) => path),
  )
  return [...new Set(paths)].sort()
}

const tools = [
  {
    name: 'find_order',
    description: 'Looks up an order',
    parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
]
const conversation = [
  { role: 'system', content: 'You answer for the support team. Be brief and friendly.' },
  { role: 'user', content: 'Where is my order {{order.id}}?' },
]

/** Reports runs of a conversation, a failed one, and one without an environment. @param {Send} send */
async function reportRuns(send) {
  const call = { provider: 'openai', model: 'gpt-4o', ref_key: 'support/answer', version: 'v1', app: 'shop' }
  const talk = { ...call, env: 'prod', session_id: 'chat-4711', end_user: 'customer-17' }
  const asked = [{ role: 'user', content: 'The refund of order 4711 never arrived.' }]
  const { data } = await send('POST', '/api/runs', [
    {
      ...talk,
      status: 'ok',
      latency_ms: 1240,
      ttft_ms: 320,
      cost_usd: 0.0042,
      input: asked,
      output: 'Sorry!',
    },
    {
      ...talk,
      status: 'ok',
      latency_ms: 2310,
      input: [...asked, { role: 'assistant', content: 'Sorry!' }, { role: 'user', content: 'When?' }],
      output: '## Tomorrow\n\nYour bank needs **one day**:\n\n- sent at 9:00\n- there at noon',
      tags: ['refund'],
    },
    { ...talk, status: 'error', latency_ms: 9100, error: 'The provider replied 429: too many requests' },
    { ...call, status: 'ok', latency_ms: 700, input: 'Hello', output: '{"greeting":"Hi","words":[1,2]}' },
  ])
  return data.map((/** @type {{ id: number }} */ run) => run.id)
}

/** Creates a prompt in two environments with an includer, a draft and two versions. @param {Send} send */
async function createPrompts(send) {
  const key = 'support/answer'
  const { data: prompt } = await send('POST', '/api/prompts', {
    key,
    env: 'prod',
    type: 'chat',
    messages: conversation,
    params: { temperature: 0.2, tools },
  })
  const messages = [{ role: 'system', content: 'Answer in one sentence.' }, ...conversation.slice(1)]
  await send('PATCH', `/api/prompts/${prompt.id}`, { messages })
  await send('POST', `/api/prompts/${prompt.id}/publish`, { message: 'Shorter' })
  await send('POST', `/api/prompts/${prompt.id}/promote`, { env: 'test' })
  const { data: tone } = await send('POST', '/api/prompts', {
    key: 'shared/tone',
    env: 'dev',
    content: 'Be kind.',
  })
  await send('POST', '/api/prompts', { key: 'mail/first', env: 'dev', content: 'Hello. {{> shared/tone}}' })
  await send('PATCH', `/api/prompts/${tone.id}`, { content: 'Be brief.' })
  return { prompt: prompt.id, key, draft: tone.id }
}

/** Creates at least one item of each kind, so that each page has content. @param {Send} send */
export async function makeContent(send) {
  await send('PATCH', '/api/settings', { capture: 'full' })
  const prompts = await createPrompts(send)
  const runs = await reportRuns(send)
  const { data: agent } = await send('POST', '/api/agents', {
    key: 'support/draft',
    content: 'Answer: {{question}}',
    provider: 'mock',
  })
  const steps = [
    { name: 'ask', type: 'render', template: 'Is this urgent? {{ticket}}' },
    { name: 'answer', type: 'model' },
  ]
  const { data: workflow } = await send('POST', '/api/workflows', { key: 'support/triage', steps })
  const execution = await send('POST', `/api/workflows/${workflow.id}/run`, { variables: { ticket: 'Help' } })
  const { data: view } = await send('POST', '/api/views', {
    name: 'Errors of today',
    page: 'runs',
    query: 'period=today&status=error',
  })
  const period = { period_minutes: 1440 }
  await send('POST', '/api/alerts', { ...period, name: 'Slow', kind: 'latency', threshold: 100, min_runs: 1 })
  await send('POST', '/api/alerts', { ...period, name: 'Cost', kind: 'cost', threshold: 1000 })
  await send('POST', '/api/tokens', { name: 'checkout', role: 'viewer', workspace: 'default' })
  await send('POST', '/api/workspaces', { name: 'Team Blue' })
  return { ...prompts, runs, agent: agent.id, workflow: workflow.id, execution: execution.id, view: view.id }
}

/**
 * Returns an address for each route of the console. `consoleRoutes` has the names.
 * @param {Content} content @returns {Readonly<Record<string, string>>}
 */
export const addressesOf = (content) => ({
  '/': '/',
  '/agents': '/agents',
  '/agents/$id': `/agents/${content.agent}`,
  '/alert-history/{-$id}': '/alert-history',
  '/alerts/{-$id}': '/alerts',
  '/audit/{-$id}': '/audit',
  '/clients/{-$id}': '/clients',
  '/login': '/login',
  '/password': '/password',
  '/pair': '/pair',
  '/reset': '/reset',
  '/second-factor': '/second-factor',
  '/devices': '/devices',
  '/playground': `/playground?prompt=${content.prompt}`,
  '/profile': '/profile',
  '/prompts': '/prompts',
  '/prompts/$id': `/prompts/${content.prompt}`,
  '/prompts/compare': `/prompts/compare?key=${encodeURIComponent(content.key)}&workspace=default&from_env=test&to_env=prod`,
  '/providers': '/providers',
  '/runs/compare': `/runs/compare?a=${content.runs[0]}&b=${content.runs[1]}`,
  '/runs/{-$id}': '/runs',
  '/sessions': '/sessions',
  '/sessions/$id': '/sessions/chat-4711?workspace=default',
  '/settings': '/settings',
  '/statistics': '/statistics',
  '/tokens': '/tokens',
  '/traces/$id': '/traces/4bf92f3577b34da6a3ce929d0e0e4736',
  '/users/{-$id}': '/users',
  '/views': '/views',
  '/views/$id': `/views/${content.view}`,
  '/workflow-runs/$id': `/workflow-runs/${content.execution}`,
  '/workflows': '/workflows',
  '/workflows/$id': `/workflows/${content.workflow}`,
  '/workspaces/{-$id}': '/workspaces',
})
