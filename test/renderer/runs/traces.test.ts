import { beforeAll, describe, expect, it } from 'vitest'
import { traceRequest } from '../../server/telemetry/fixtures/otlp.ts'
import { send } from '../../server/telemetry/telemetry-support.ts'
import type { Visit } from '../../support/browser.ts'
import { axeFaults } from '../support/axe.ts'
import { eventually, patience, setUpConsole } from '../support/console.ts'
import { report, runsPage } from '../support/pages/runs.ts'
import { openPath } from '../support/warm.ts'

const console = setUpConsole()
let visit: Visit
beforeAll(async () => {
  visit = await console.visit((await console.server.signedIn('viewer')).token)
})

const trace = '7a'.repeat(16)
const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai' }

const circular = (digit: string, parent: string, at: number) => ({
  span: digit.repeat(16),
  parent: parent.repeat(16),
  name: 'chat',
  at,
  ms: 100,
  attributes: { ...call, 'gen_ai.request.model': `circle-${digit}` },
})

describe('The page of a trace', { timeout: patience }, () => {
  it('shows agents, tools and calls below the one that made them, with their times', async () => {
    const at = Date.now() - 20_000
    const [outer, inner] = ['1'.repeat(16), '2'.repeat(16)]
    const spans = [
      {
        span: outer,
        parent: '6'.repeat(16),
        name: 'chat',
        at,
        ms: 4000,
        attributes: { ...call, 'gen_ai.request.model': 'planner-model' },
      },
      {
        span: '6'.repeat(16),
        name: 'invoke_agent planner',
        at,
        ms: 4500,
        attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'planner' },
      },
      {
        span: '7'.repeat(16),
        parent: '6'.repeat(16),
        name: 'execute_tool find_order',
        at: at + 4100,
        ms: 300,
        error: 'no such order',
        attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find_order' },
      },
      {
        span: inner,
        parent: outer,
        name: 'chat',
        at: at + 1000,
        ms: 2000,
        attributes: { ...call, 'gen_ai.request.model': 'worker-model' },
      },
      {
        span: '3'.repeat(16),
        parent: inner,
        name: 'chat',
        at: at + 1500,
        ms: 500,
        error: 'refused',
        attributes: { ...call, 'gen_ai.request.model': 'deep-model' },
      },
      // Two calls that name each other as parent, which no correct emitter sends.
      circular('4', '5', at + 5000),
      circular('5', '4', at + 6000),
    ]
    await send(console.server, 'traces', traceRequest(trace, {}, spans))
    const { body } = await console.server.call(`GET /api/runs?trace_id=${trace}`)
    const first = body.data.at(-1).id

    const { page, faults } = visit
    await runsPage(page).goto(`/${first}`)
    await page.getByRole('link', { name: 'Show trace' }).click()
    await page.getByRole('heading', { name: `Trace ${trace.slice(0, 8)}` }).waitFor()
    const rows = page.getByRole('list', { name: `Trace ${trace}` }).getByRole('listitem')
    await eventually(() => rows.count()).toBe(7)
    expect(await rows.getByRole('link').allInnerTexts()).toEqual([
      'planner-model',
      'worker-model',
      'deep-model',
      'circle-4',
      'circle-5',
    ])
    const names = (await rows.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(names[0]).toContain('Agent planner')
    expect(names[3]).toContain('Level 4')
    expect(names[4]).toMatch(/Level 2.* Tool find_order .*Error no such order/i)
    await rows.nth(2).getByRole('img', { name: 'Starts after 1 s, takes 2 s' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Show in Runs' }).click()
    await eventually(() => runsPage(page).ids()).toEqual(
      [...body.data.map(({ id }: { id: number }) => id)].reverse(),
    )
    expect(faults).toEqual([])
  })

  it('opens a call beside the trace, and moves to the calls before and after it', async () => {
    const id = '4d'.repeat(16)
    const models = ['first-model', 'second-model', 'third-model']
    const body = models.map((model, index) => ({
      ...report({ trace_id: id, model }),
      created_at: new Date(Date.now() - 60_000 + index * 1000).toISOString(),
    }))
    const { body: stored } = await console.server.call('POST /api/runs', { body })
    const { page } = visit
    await openPath(page, `/traces/${id}`)
    const rows = page.getByRole('list', { name: `Trace ${id}` }).getByRole('listitem')
    const { drawer } = runsPage(page).drawer
    await rows.getByRole('link', { name: 'second-model' }).click()
    await drawer.getByRole('button', { name: 'Filter by Model: second-model' }).waitFor()
    await eventually(() => rows.nth(1).getAttribute('aria-current')).toBe('true')
    expect(await drawer.getByRole('link', { name: 'Show trace' }).count()).toBe(0)
    await page.keyboard.press('ArrowDown')
    await drawer.getByRole('button', { name: 'Filter by Model: third-model' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.goBack()
    await drawer.waitFor({ state: 'detached' })
    await page.goForward()
    await drawer.getByRole('button', { name: 'Filter by Model: third-model' }).click()
    await eventually(() => runsPage(page).ids()).toEqual([stored.data[2].id])
    await page.goBack()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: `Trace ${id.slice(0, 8)}` }).waitFor()
  })

  it('shows the spans of each workspace below their own parent, although they have the same ids', async () => {
    const shared = '9c'.repeat(16)
    const at = Date.now() - 20_000
    for (const [index, name] of ['default', 'twin'].entries()) {
      if (index > 0) await console.server.client().workspaces.create({ body: { name } })
      const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name }
      const model = { ...call, 'gen_ai.request.model': `model of ${name}` }
      await send(
        console.server,
        'traces',
        traceRequest(shared, { 'promptdeck.workspace': name }, [
          { span: 'a'.repeat(16), name, at: at + index, ms: 900, attributes },
          {
            span: 'b'.repeat(16),
            parent: 'a'.repeat(16),
            name: 'chat',
            at: at + 10,
            ms: 9,
            attributes: model,
          },
        ]),
      )
    }
    const { page } = visit
    await openPath(page, `/traces/${shared}`)
    const rows = page.getByRole('list', { name: `Trace ${shared}` }).getByRole('listitem')
    await eventually(async () =>
      (await rows.allInnerTexts()).map((text) =>
        /model of \w+|Agent\s+(\w+)/.exec(text)?.[0]?.replace(/\s+/g, ' '),
      ),
    ).toEqual(['Agent default', 'model of default', 'Agent twin', 'model of twin'])
  })

  it('states that it shows a part of the trace, with the total', async () => {
    const long = '5e'.repeat(16)
    await console.server.client().runs.report({ body: Array(201).fill(report({ trace_id: long })) })
    const { page } = visit
    await openPath(page, `/traces/${long}`)
    await page.getByText('Only the oldest 200 of 201 runs').waitFor()
    await page.locator('dl > div', { hasText: /^Runs201$/ }).waitFor()
  })

  it('reports an unknown trace', async () => {
    const { page } = visit
    await openPath(page, `/traces/${'9'.repeat(32)}`)
    await page.getByText('Trace not found').waitFor()
  })
})

describe('The drawer of a run', { timeout: patience }, () => {
  it('has each field once, with the ids of its trace, reply and request at the provider', async () => {
    const ids = { trace_id: '8b'.repeat(16), response_id: 'reply-1', provider_request_id: 'req_1' }
    const body = { provider: 'openai', model: 'm', status: 'ok', latency_ms: 1, ...ids }
    const { body: stored } = await console.server.call('POST /api/runs', { body })
    const { page } = visit
    await runsPage(page).goto(`/${stored.data.id}`)
    const facts = runsPage(page).drawer.drawer.locator('dl')
    for (const id of Object.values(ids)) await facts.getByText(id, { exact: true }).waitFor()
    const labels = await facts.locator('dt').allInnerTexts()
    expect(labels).toEqual([...new Set(labels)])
  })
})
