import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StepInput } from '../../../contract/workflows/workflow-step.ts'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { executionPage, workflowPage, workflowsPage } from '../support/pages/workflows.ts'
import { expectNoDialog } from '../support/shell.ts'

const chain: StepInput[] = [
  { name: 'ask', type: 'render', template: 'Hi {{who}}' },
  { name: 'answer', type: 'model' },
  { name: 'shout', type: 'transform', op: 'upper' },
]

describe('Running workflows', { timeout: patience }, () => {
  const console = setUpConsole()
  let editor: string
  let count = 0
  const client = () => console.server.client()
  const add = async (steps: StepInput[]) => {
    count += 1
    return (await client().workflows.create({ body: { key: `flows/flow-${count}`, steps } })).data
  }
  const open = async (id: string, search = '', token = editor) => {
    const visit = await console.visit(token)
    const workflow = workflowPage(visit.page)
    await workflow.goto(id, search)
    return { ...visit, workflow }
  }
  const executions = async (id: string) =>
    (await client().workflowRuns.ofWorkflow({ params: { id }, query: {} })).data
  /** Returns the addresses of later requests that run or resume a workflow. */
  const requestsOf = (page: Page): string[] => {
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && /\/(?:run|resume)$/.test(request.url())) sent.push(request.url())
    })
    return sent
  }
  beforeAll(async () => {
    editor = (await console.server.signedIn('editor', 'edda')).token
  })

  it('is created and run: each step with input and output, each call one run of its execution', async () => {
    const { page, faults, close } = await console.visit(editor)
    const list = workflowsPage(page)
    await list.goto()
    await list.create.click()
    await list.dialog.field('Key').fill('main/chain')
    await list.dialog.choose('Text, model and transform')
    await list.dialog.button('Create workflow').click()
    const workflow = workflowPage(page)
    await workflow.card('summary').waitFor()
    await workflow.tab('Run').click()
    await workflow.variable('text').fill('world')
    await workflow.run.click()
    await eventually(workflow.states).toEqual(['ask ok', 'summary ok', 'tidy ok'])
    await page.getByRole('region', { name: 'Output' }).getByText('mock completion').waitFor()
    await workflow.step('ask').getByRole('button').first().click()
    await workflow.step('ask').getByText('Summarise in one sentence:').first().waitFor()
    await page.getByRole('link', { name: 'Open execution' }).click()
    const execution = executionPage(page)
    await execution.status.filter({ hasText: 'v1 run by edda' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const calls = (await client().runs.list({ query: { parent_id: id } })).data
    expect(calls).toMatchObject([{ source: 'workflow', ref_key: 'main/chain', status: 'ok' }])
    await execution.calls.click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    await page.locator('tbody tr[data-row-id]').first().locator('td[data-col]').first().click()
    await page.getByTestId('drawer').getByRole('link', { name: 'Show execution' }).click()
    await execution.status.filter({ hasText: 'run by edda' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/workflow-runs/${id}`)
    expect(faults).toEqual([])
    await close()
  })

  it('keeps the trace of a failure, also in a narrow window, and after a repair resumes from the failed step', async () => {
    const fails = {
      key: 'flows/helper',
      content: 'Help {{input}}',
      params: { mock: { fail: 'middle' as const } },
    }
    const helper = (await client().agents.create({ body: fails })).data
    const { id } = await add([
      { name: 'ask', type: 'render', template: 'Hi {{who}}' },
      { name: 'first', type: 'model' },
      { name: 'second', type: 'agent', agent_key: 'flows/helper' },
      { name: 'shout', type: 'transform', op: 'upper' },
    ])
    const { page, workflow, close } = await open(id, '?tab=run')
    const failed = ['ask ok', 'first ok', 'second error', 'shout not_run']
    await workflow.variable('who').fill('world')
    await workflow.run.click()
    await eventually(workflow.states).toEqual(failed)
    await page.getByRole('alert').getByText('second failed').waitFor()
    await workflow.step('second').getByText('provider_error').first().waitFor()
    await client().agents.update({ params: { id: helper.id }, body: { params: {} } })
    await page.getByRole('button', { name: 'Resume from second' }).click()
    await eventually(workflow.states).toEqual(['ask ok', 'first ok', 'second ok', 'shout ok'])
    await workflow.step('first').getByText('reused').waitFor()
    await page.getByRole('region', { name: 'Output' }).getByText('HI WORLD').waitFor()
    const [again, before] = await executions(id)
    expect(again).toMatchObject({ status: 'ok', resumed_from: before?.id, resumed_step: 'second' })
    // The first step was not called again.
    expect((await client().runs.list({ query: { parent_id: again?.id } })).data).toHaveLength(1)
    await workflow.tab('Executions').click()
    const rows = page.getByRole('table', { name: 'Executions' }).locator('tbody tr')
    await eventually(() => rows.count()).toBe(2)
    expect(await axeFaults(page, 'main')).toEqual([])
    await rows.last().locator('td').first().click()
    const execution = executionPage(page)
    await execution.status.filter({ hasText: before?.id ?? '' }).waitFor()
    await eventually(execution.states).toEqual(failed)
    await page.setViewportSize({ width: 640, height: 900 })
    await execution.step('first').getByRole('button').first().click()
    await execution.step('second').getByText('provider_error').first().waitFor()
    expect(await axeFaults(page, 'main')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await close()
  })

  it('shows the steps as they run, and ends when it is cancelled', async () => {
    const slow = { mock: { first_token_ms: 100, tokens_per_second: 2 } }
    const { id } = await add([
      { name: 'slow', type: 'model', template: 'Take {{what}}', params: slow },
      { name: 'after', type: 'transform', op: 'upper' },
    ])
    const { workflow, close } = await open(id, '?tab=run')
    await workflow.variable('what').fill('your time, there is no hurry at all')
    await workflow.run.click()
    await eventually(workflow.states).toEqual(['slow running', 'after waiting'])
    await workflow.step('slow').getByText('mock').first().waitFor()
    await workflow.cancel.click()
    await eventually(async () => (await executions(id))[0]?.status).toBe('cancelled')
    await eventually(workflow.states).toEqual(['slow cancelled', 'after not_run'])
    await close()
  })

  it('names the variables a run needs before it is sent', async () => {
    const { id } = await add(chain)
    const { page, workflow, close } = await open(id, '?tab=run')
    const sent = requestsOf(page)
    await workflow.run.hover()
    await page.getByRole('tooltip').filter({ hasText: 'Enter a value for who.' }).waitFor()
    await page.mouse.move(0, 0)
    expect(await axeFaults(page, 'main')).toEqual([])
    await workflow.run.click({ force: true })
    await workflow.variable('who').fill('you')
    await workflow.run.click()
    await eventually(workflow.states).toEqual(['ask ok', 'answer ok', 'shout ok'])
    expect(sent).toHaveLength(1)
    await close()
  })

  it('explains why an execution cannot resume when its outputs are no longer stored', async () => {
    const { id } = await add([
      { name: 'one', type: 'model', template: 'Hi' },
      { name: 'two', type: 'model', params: { mock: { fail: 'start' } } },
    ])
    const { id: run } = await client().workflowRuns.run({ params: { id }, body: {} })
    await console.server.restart()
    const { page, close } = await console.visit((await console.server.signedIn('editor')).token)
    const execution = executionPage(page)
    const sent = requestsOf(page)
    await execution.goto(run)
    await execution.resume.hover()
    await page.getByRole('tooltip').filter({ hasText: 'no longer available' }).waitFor()
    await execution.resume.click({ force: true })
    await expectNoDialog(page)
    expect(sent).toEqual([])
    await close()
    editor = (await console.server.signedIn('editor')).token
  })

  it('lets a viewer run but not edit', async () => {
    const { id } = await add(chain)
    const { token } = await console.server.signedIn('viewer')
    const { page, workflow, close } = await open(id, '', token)
    await page.getByText('You can view and run this, but not change it.').waitFor()
    expect(await page.getByRole('button', { name: /^Add step/ }).count()).toBe(0)
    expect(await workflow.handle('ask').count()).toBe(0)
    await workflow.tab('Run').click()
    await workflow.variable('who').fill('viewer')
    await workflow.run.click()
    await eventually(workflow.states).toEqual(['ask ok', 'answer ok', 'shout ok'])
    await page.getByRole('region', { name: 'Output' }).getByText('HI VIEWER').waitFor()
    await close()
  })
})
