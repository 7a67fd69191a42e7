import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults } from '../support/axe.ts'
import { type Console, openConsole, patience } from '../support/console.ts'
import { agentPage } from '../support/pages/agents.ts'
import { executionPage, workflowPage } from '../support/pages/workflows.ts'

describe('axe finds nothing', { timeout: patience }, () => {
  let console: Console
  let admin: string
  let agentId: string
  let workflowId: string
  let executionId: string
  const visit = async (width = 1440) => {
    const { page, close } = await console.visit(admin, { width })
    return { page, close }
  }
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin', 'ada')).token
    const client = console.server.client()
    const content = 'Hello {{name}}'
    const messages = [{ role: 'system' as const, content: 'Be brief.' }]
    const tools = [{ name: 'find', description: 'Finds', parameters: { type: 'object' } }]
    agentId = (await client.agents.create({ body: { key: 'team/greet', content, messages, tools } })).data.id
    await client.agents.update({ params: { id: agentId }, body: { content: 'Hi {{name}}' } })
    const { data } = await client.workflows.create({
      body: {
        key: 'team/flow',
        steps: [
          { name: 'ask', type: 'render', template: 'Hi {{who}}' },
          {
            name: 'check',
            type: 'condition',
            when: { value: '{{input}}', op: 'contains', to: 'Hi' },
            // biome-ignore lint/suspicious/noThenProperty: a name of the wire
            then: [{ name: 'greet', type: 'agent', agent_key: 'team/greet', variables: { name: '{{who}}' } }],
            else: [{ name: 'other', type: 'model' }],
          },
          { name: 'fails', type: 'model', params: { mock: { fail: 'start' } } },
        ],
      },
    })
    workflowId = data.id
    executionId = (
      await client.workflowRuns.run({ params: { id: workflowId }, body: { variables: { who: 'you' } } })
    ).id
  })
  afterAll(() => console.close())

  it('in the editor of an agent', async () => {
    const { page, close } = await visit()
    const agent = agentPage(page)
    await agent.goto(agentId)
    await agent.field('name').fill('you')
    await agent.run.click()
    await agent.runLink.waitFor()
    expect(await axeFaults(page)).toEqual([])
    await agent.goto(agentId, '?tab=versions')
    await agent.diff.locator('mark').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await agent.goto(agentId, '?tab=runs')
    await page.getByRole('table', { name: 'Latest runs' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('on the editor of a workflow with every card open, and an execution', async () => {
    const { page, close } = await visit()
    const workflow = workflowPage(page)
    await workflow.goto(workflowId)
    await workflow.node('check').waitFor()
    await page.getByRole('button', { name: 'Expand all' }).click()
    await workflow.card('greet').getByRole('textbox', { name: 'Value of name' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await workflow.goto(workflowId, '?tab=run')
    await workflow.variable('who').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await workflow.goto(workflowId, '?tab=executions')
    await page.getByRole('table', { name: 'Executions' }).locator('tbody tr').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    const execution = executionPage(page)
    await execution.goto(executionId)
    await execution.step('greet').getByRole('button').first().click()
    await execution.step('fails').getByText('provider_error').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await close()
  })

  it('when narrow', async () => {
    const { page, close } = await visit(640)
    const agent = agentPage(page)
    const workflow = workflowPage(page)
    const execution = executionPage(page)
    const openers = [
      () => agent.goto(agentId).then(() => agent.content.waitFor()),
      () => workflow.goto(workflowId).then(() => workflow.card('check').waitFor()),
      () => execution.goto(executionId).then(() => execution.step('fails').waitFor()),
    ]
    for (const open of openers) {
      await open()
      expect(await axeFaults(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await close()
  })
})
