import { describe, expect, it } from 'vitest'
import { type CaptureMode, captureModes } from '../../../../contract/models/models.ts'
import { isOnPostgres } from '../../../support/postgres/databases.ts'
import { storedCopy } from '../../../support/store.ts'
import { detailOf, filesWith, logged, readFiles, server, setUpService } from './capture-support.ts'

setUpService()

type Case = {
  readonly setting: CaptureMode
  readonly workspace: CaptureMode | null
  readonly call: CaptureMode | null
  readonly captured: CaptureMode
}
const lower = (a: CaptureMode, b: CaptureMode) => (captureModes.indexOf(a) < captureModes.indexOf(b) ? a : b)
const cases: Case[] = captureModes.flatMap((setting) =>
  [null, ...captureModes].flatMap((workspace) =>
    [null, ...captureModes].map((call) => ({
      setting,
      workspace,
      call,
      captured: lower(workspace ?? setting, call ?? 'full'),
    })),
  ),
)
const canaryOf = ({ setting, workspace, call }: Case) => `Canary-${setting}-${workspace}-${call}-Ypsilanti`

describe('capture of a call', () => {
  const ids = new Map<Case, number>()

  it('is the stricter of workspace (else the setting) and call, in all 48 combinations', async () => {
    for (const setting of captureModes) {
      await server.call('PATCH /api/settings', { body: { capture: setting } })
      for (const workspace of [null, ...captureModes]) {
        const changed = await server.call('PATCH /api/workspaces/default', { body: { capture: workspace } })
        expect(changed.body.data.capture).toBe(workspace)
        const group = cases.filter((each) => each.setting === setting && each.workspace === workspace)
        for (const testCase of group) {
          const reply = await server.call('POST /api/playground/run', {
            body: {
              content: 'Dear {{customer.name}}, your key is sk-ant-0123456789abcdef0123',
              variables: { customer: { name: canaryOf(testCase) } },
              messages: [{ role: 'system', content: `You know ${canaryOf(testCase)}` }],
              provider: 'mock',
              ...(testCase.call !== null && { capture: testCase.call }),
            },
            headers: { 'idempotency-key': canaryOf(testCase).replaceAll('Canary', 'key') },
          })
          expect(reply.body.result.output).toContain(canaryOf(testCase))
          ids.set(testCase, reply.body.run.id)
        }
      }
    }
    for (const [testCase, id] of ids) {
      const { input, output } = await detailOf(id)
      const canary = canaryOf(testCase)
      const key = 'sk-ant-0123456789abcdef0123'
      const messages = (name: string, secret: string) => [
        { role: 'system', content: `You know ${name}` },
        { role: 'user', content: `Dear ${name}, your key is ${secret}` },
      ]
      const completion = (name: string, secret: string) =>
        `mock completion (mock-small): Dear ${name}, your key is ${secret}`
      const expected = {
        off: [null, null],
        redacted: [
          { messages: messages('{{customer.name}}', '[api key]') },
          completion('{{customer.name}}', '[api key]'),
        ],
        full: [{ messages: messages(canary, key) }, completion(canary, key)],
      }
      expect([testCase, input, output]).toEqual([testCase, ...expected[testCase.captured]])
    }
  })

  it('is stored only with the payloads, and text that is not captured nowhere', async () => {
    const stored = await storedCopy(server)
    await server.restart()
    const rows = isOnPostgres ? stored.split('\n') : []
    const read = await readFiles()
    for (const testCase of cases) {
      const files = await filesWith(canaryOf(testCase), read)
      const isStored = rows.some((row) => row.includes(canaryOf(testCase)))
      expect([testCase, isStored]).toEqual([testCase, isOnPostgres && testCase.captured === 'full'])
      if (testCase.captured === 'full' && !isOnPostgres)
        expect(files).toMatchObject([expect.stringMatching(/^payloads\/[\d-]+\.log$/)])
      else expect([testCase, files]).toEqual([testCase, []])
    }
    if (!isOnPostgres) expect(await filesWith('customer.name', read)).not.toEqual([])
    expect(logged).toContain('playground')
    expect(logged).not.toContain('Canary-')
  })

  it('of a failed call is the partial output, and the service log does not contain it', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { capture: 'full' } })
    const reply = await server.call('POST /api/playground/run', {
      body: {
        content: 'Say {{what}}',
        variables: { what: 'Canary-of-failure' },
        provider: 'mock',
        params: { mock: { fail: 'middle' } },
      },
    })
    expect(reply.status).toBe(502)
    const { input, output } = await detailOf(reply.body.run_id)
    expect(input.messages).toEqual([{ role: 'user', content: 'Say Canary-of-failure' }])
    expect(output).toBe(reply.body.output)
    expect(logged).not.toContain('Canary-of-failure')
  })

  it('of tool calls is JSON with the text and the calls', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { capture: 'redacted' } })
    const tool = {
      name: 'order',
      parameters: { type: 'object', properties: { city: { const: 'Reykjavik' } }, required: ['city'] },
    }
    const reply = await server.call('POST /api/playground/run', {
      body: {
        content: 'To {{city}}',
        variables: { city: 'Reykjavik' },
        provider: 'mock',
        tools: [tool],
        params: { tool_choice: 'required' },
      },
    })
    const { output, input } = await detailOf(reply.body.run.id)
    expect(JSON.parse(output)).toMatchObject({ text: '', tool_calls: [{ name: 'order' }] })
    expect(input.tools).toMatchObject([{ name: 'order' }])
    expect(output).not.toContain('Reykjavik')
  })

  it('is bounded for all texts together, if names of variables are longer than their values', async () => {
    const reply = await server.call('POST /api/playground/run', {
      body: {
        content: 'aaaa '.repeat(1500),
        variables: { nested: { ['n'.repeat(400_000)]: 'aaaa' } },
        messages: new Array(100).fill({ role: 'user', content: 'aaaa' }),
        provider: 'mock',
      },
    })
    const { output, input } = await detailOf(reply.body.run.id)
    for (const text of [input.messages[99].content, output]) expect(text).toMatch(/^\[not stored/)
  })
})
