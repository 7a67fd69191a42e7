import { post, send } from './service.mjs'

const supportAgent = {
  key: 'support/answer',
  name: 'Answer a ticket',
  description: 'Drafts the first answer, which a person reads before it goes out.',
  content:
    'Answer this question for {{customer.name}} of {{company}}. Be brief and friendly.\n\n{{question}}\n',
  provider: 'mock',
  params: { temperature: 0.2, max_output_tokens: 800 },
  messages: [
    { role: 'system', content: 'You answer for the support team. Be brief and friendly.' },
    { role: 'user', content: 'Where is my invoice?' },
    { role: 'assistant', content: 'You find every invoice under Account, Billing.' },
  ],
  tools: [
    {
      name: 'find_order',
      description: 'Looks up an order',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  ],
}
const otherAgents = [
  ['billing/dunning', 'Second reminder', 'mock'],
  ['billing/refund', 'Refund, first reply', 'openai'],
  ['docs/summarise', 'Summarise a page', 'claude'],
  ['sales/follow-up', 'Follow up after a call', 'gemini'],
  ['support/classify', 'تصنيف الطلبات 🗂️', 'ollama'],
]

const triage = [
  { name: 'ask', type: 'render', template: 'Is this urgent? Answer yes or no.\n\n{{ticket}}' },
  { name: 'urgency', type: 'model', retry: { max: 1, backoff_ms: 200 }, timeout_ms: 20_000 },
  { name: 'tidy', type: 'transform', op: 'lower' },
  {
    name: 'urgent',
    type: 'condition',
    when: { value: '{{input}}', op: 'contains', to: 'yes' },
    // biome-ignore lint/suspicious/noThenProperty: a name of the wire
    then: [
      {
        name: 'both',
        type: 'parallel',
        steps: [
          {
            name: 'answer',
            type: 'agent',
            agent_key: 'support/answer',
            variables: { question: '{{ticket}}', 'customer.name': 'Ada', company: 'Acme' },
          },
          { name: 'summary', type: 'model', template: 'Summarise in one sentence: {{ticket}}' },
        ],
      },
    ],
    else: [{ name: 'later', type: 'render', template: 'Queued: {{steps.ask.output}}' }],
  },
]
const failing = [
  { name: 'ask', type: 'render', template: 'Summarise:\n\n{{text}}' },
  { name: 'summary', type: 'model' },
  { name: 'translate', type: 'model', params: { mock: { fail: 'middle' } } },
  { name: 'shout', type: 'transform', op: 'upper' },
]

/** Creates agents and workflows, with successful and failed executions. @param {string} url */
export async function makeWorkflows(url) {
  const agent = (await post(url, '/api/agents', supportAgent)).data
  for (const [key, name, provider] of otherAgents) {
    await post(url, '/api/agents', { key, name, provider, content: `${name}: {{text}}` })
  }
  const warmer = { params: { temperature: 0.7 }, message: 'Warmer' }
  await send('PATCH', url, `/api/agents/${agent.id}`, warmer)
  // Executions have inputs and outputs only if the workspace captures them.
  await send('PATCH', url, '/api/workspaces/default', { capture: 'full' })
  const workflow = (
    await post(url, '/api/workflows', { key: 'support/triage', name: 'Triage a ticket', steps: triage })
  ).data
  const broken = (
    await post(url, '/api/workflows', {
      key: 'docs/translate',
      name: 'Summarise and translate',
      steps: failing,
    })
  ).data
  await post(url, '/api/workflows', { key: 'docs/one', steps: [{ name: 'answer', type: 'model' }] })
  const ticket = { variables: { ticket: 'The shop is down since nine, can you help? yes, it is urgent' } }
  const ran = await post(url, `/api/workflows/${workflow.id}/run`, ticket)
  await post(url, `/api/workflows/${workflow.id}/run`, ticket)
  const text = { variables: { text: 'A prompt is a text with variables that somebody else fills.' } }
  const failed = await post(url, `/api/workflows/${broken.id}/run`, text)
  await post(url, `/api/agents/${agent.id}/run`, {
    variables: { 'customer.name': 'Ada', company: 'Acme', question: 'Where is my invoice?' },
  })
  return { agent: agent.id, workflow: workflow.id, broken: broken.id, ran: ran.id, failed: failed.id }
}

/**
 * Takes pictures of the pages of agents and workflows in one size.
 * @param {{
 *   page: import('playwright').Page, url: string, suffix: string,
 *   workflows: Awaited<ReturnType<typeof makeWorkflows>>,
 *   shoot: (page: import('playwright').Page, name: string) => Promise<void>,
 *   waitForPage: (page: import('playwright').Page) => Promise<void>,
 * }} options
 */
export async function workflowScreens({ page, url, workflows, suffix, shoot, waitForPage }) {
  /** @param {string} name @param {string} path @param {() => Promise<void>} [act] */
  const take = async (name, path, act = async () => undefined) => {
    await page.goto(url + path)
    await waitForPage(page)
    await act()
    await waitForPage(page)
    await shoot(page, `${name}-${suffix}`)
  }
  const agent = `/agents/${workflows.agent}`
  const workflow = `/workflows/${workflows.workflow}`
  await take('agents-create', '/agents', async () => {
    await page.getByRole('button', { name: 'Create agent' }).first().click()
    await page.getByRole('dialog').waitFor()
  })
  await take('agent-edit', agent, async () => {
    await page.getByRole('textbox', { name: 'question' }).fill('Where is my invoice?')
    await page.getByRole('textbox', { name: 'customer.name' }).fill('Ada')
    await page.getByRole('textbox', { name: 'company' }).fill('Acme')
    await page.getByRole('button', { name: 'Run v2' }).click()
    await page.getByRole('link', { name: /^Run \d+$/ }).waitFor()
  })
  await take('agent-versions', `${agent}?tab=versions`)
  await take('agent-runs', `${agent}?tab=runs`)
  await take('workflow-edit', workflow, () =>
    page
      .getByTestId('graph')
      .waitFor({ timeout: 3000 })
      .catch(() => undefined),
  )
  await take('workflow-edit-open', workflow, async () => {
    await page.getByRole('button', { name: 'Expand all' }).click()
    await page.locator('.cm-content').first().waitFor()
  })
  await take('workflow-run', `/workflows/${workflows.broken}?tab=run`, async () => {
    await page.getByRole('textbox', { name: 'text', exact: true }).fill('A prompt is a text with variables.')
    await page.getByRole('button', { name: 'Run v1' }).click()
    await page.getByRole('button', { name: 'Resume from translate' }).waitFor()
  })
  await take('workflow-executions', `${workflow}?tab=executions`)
  await take('execution', `/workflow-runs/${workflows.ran}`)
  await take('execution-failed', `/workflow-runs/${workflows.failed}`)
}
