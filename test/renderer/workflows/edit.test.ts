import { beforeAll, describe, expect, it } from 'vitest'
import type { StepInput } from '../../../contract/workflows/workflow-step.ts'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { workflowPage } from '../support/pages/workflows.ts'

const steps: StepInput[] = [
  { name: 'ask', type: 'render', template: 'Hi {{who}}' },
  { name: 'answer', type: 'model' },
  {
    name: 'check',
    type: 'condition',
    when: '{{input}}',
    // biome-ignore lint/suspicious/noThenProperty: a name of the wire
    then: [{ name: 'yes', type: 'render', template: 'Yes' }],
    else: [],
  },
]

describe('Editing a workflow', { timeout: patience }, () => {
  const console = setUpConsole()
  let editor: string
  let count = 0
  const client = () => console.server.client()
  const open = async (initial: StepInput[] = steps, width = 1440) => {
    count += 1
    const { id } = (await client().workflows.create({ body: { key: `edit/flow-${count}`, steps: initial } }))
      .data
    const visit = await console.visit(editor, { width })
    const workflow = workflowPage(visit.page)
    await workflow.goto(id)
    await workflow.card(initial[0]?.name ?? '').waitFor()
    return { id, ...visit, workflow }
  }
  const stored = async (id: string) => (await client().workflows.get({ params: { id } })).data
  beforeAll(async () => {
    editor = (await console.server.signedIn('editor', 'edda')).token
  })

  it('adds, names, duplicates and removes steps, and saves them as the next version', async () => {
    const { id, page, workflow, faults, close } = await open()
    await page.getByRole('button', { name: 'Add step' }).last().click()
    await page.getByRole('menuitem', { name: /^Transform/ }).click()
    await workflow.card('transform').getByRole('textbox', { name: 'Name' }).fill('shout')
    await workflow.card('shout').getByRole('combobox', { name: 'Operation' }).selectOption('upper')
    await workflow.menu('ask', 'Duplicate')
    await eventually(workflow.order).toEqual(['ask', 'ask-2', 'answer', 'check', 'yes', 'shout'])
    await workflow.menu('answer', 'Remove')
    await eventually(workflow.order).toEqual(['ask', 'ask-2', 'check', 'yes', 'shout'])
    await page.getByText('No problems found').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await workflow.status.filter({ hasText: 'v2 is live' }).waitFor()
    const now = await stored(id)
    expect(now.steps.map(({ name }) => name)).toEqual(['ask', 'ask-2', 'check', 'shout'])
    expect(now.steps.at(-1)).toMatchObject({ type: 'transform', op: 'upper' })
    await workflow.tab('Versions').click()
    await page.getByTestId('diff').locator('ins').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  it('reorders by keyboard: past other steps, into a branch, to the other one and out again', async () => {
    const { id, page, workflow, close } = await open()
    await workflow.handle('ask').focus()
    await page.keyboard.press('ArrowDown')
    await eventually(workflow.order).toEqual(['answer', 'ask', 'check', 'yes'])
    await page.getByRole('status').filter({ hasText: 'ask is now number 2.' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await eventually(workflow.order).toEqual(['ask', 'answer', 'check', 'yes'])
    await workflow.handle('yes').focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('status').filter({ hasText: 'yes is now number 1 in Else of check.' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('status').filter({ hasText: 'yes is now number 4.' }).waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('status').filter({ hasText: 'yes is now number 1 in Then of check.' }).waitFor()
    await eventually(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe(
      'Move step yes',
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ControlOrMeta+s')
    await workflow.status.filter({ hasText: 'v2 is live' }).waitFor()
    // biome-ignore lint/suspicious/noThenProperty: a name of the wire
    expect((await stored(id)).steps[2]).toMatchObject({ name: 'check', then: [], else: [{ name: 'yes' }] })
    await close()
  })

  it('reorders by pointer', async () => {
    const { page, workflow, close } = await open()
    await workflow
      .handle('answer')
      .dragTo(workflow.card('ask'), { targetPosition: { x: 60, y: -3 }, force: true })
    await eventually(workflow.order).toEqual(['answer', 'ask', 'check', 'yes'])
    await page.getByRole('status').filter({ hasText: 'answer is now number 1.' }).waitFor()
    await close()
  })

  it('shows errors at the field while it is edited, and saves only valid steps', async () => {
    const { id, page, workflow, close } = await open()
    await page.getByText('No problems found').waitFor()
    await workflow.open('ask')
    const text = workflow.card('ask').getByRole('textbox', { name: 'Text' })
    await text.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('Hi {{steps.nobody.output}}')
    await workflow.card('ask').getByText('Step nobody not found').waitFor()
    await page.getByRole('button', { name: '1 problem' }).waitFor()
    await workflow.save.hover()
    await page.getByRole('tooltip').filter({ hasText: 'Fix 1 problem in the steps first.' }).waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    expect((await stored(id)).version).toBe('v1')
    // After a move, the error stays with its step; on a closed card it is still visible.
    await workflow.open('ask')
    await workflow.card('ask').getByText('Step nobody not found').waitFor()
    await workflow.open('ask')
    await text.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('Hi {{who}}!')
    await page.getByText('No problems found').waitFor()
    await workflow.save.click()
    await workflow.status.filter({ hasText: 'v2 is live' }).waitFor()
    await close()
  })

  it('offers what a step may use: the input, the previous steps, the variables', async () => {
    const { page, workflow, close } = await open()
    await workflow.open('answer')
    const text = workflow.card('answer').getByRole('textbox', { name: 'Prompt' })
    await text.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(' {{')
    await page.getByRole('option', { name: 'steps.ask.output' }).waitFor()
    const offered = await page.locator('.cm-tooltip-autocomplete').getByRole('option').allInnerTexts()
    expect(offered.toSorted()).toEqual(['input', 'steps.ask.output', 'who'])
    await page.getByRole('option', { name: 'steps.ask.output' }).click()
    await eventually(() => text.innerText()).toBe('{{input}} {{steps.ask.output}}')
    await close()
  })

  it('draws the steps beside the cards, or on request in a narrow window; Enter on a box opens its card', async () => {
    const agent = { key: 'team/greet', content: 'Hello {{name}}' }
    await client().agents.create({ body: agent })
    const greet = {
      name: 'greet',
      type: 'agent',
      agent_key: agent.key,
      variables: { name: '{{who}}' },
    } as const
    const { page, workflow, close } = await open([...steps, greet])
    await workflow.node('check').waitFor()
    expect(await workflow.graph.locator('.react-flow__node').count()).toBe(5)
    await workflow.node('answer').focus()
    await page.keyboard.press('Enter')
    await workflow.card('answer').getByRole('textbox', { name: 'Prompt' }).waitFor()
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await page.getByRole('button', { name: 'Expand all' }).click()
    await workflow.card('greet').getByRole('textbox', { name: 'Value of name' }).waitFor()
    await page.setViewportSize({ width: 640, height: 900 })
    await workflow.graph.waitFor({ state: 'detached' })
    expect(await axeFaults(page, 'main')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('button', { name: 'Diagram' }).click()
    await workflow.node('check').waitFor()
    await close()
  })
})
