import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { as, model, server, setUpService, watcher } from './workflow-service.ts'
import { type Data, render } from './workflow-support.ts'

const ids: Record<string, string> = {}

setUpService()

const changedFrames = ['workflow', 'audit']

describe('storing', () => {
  const steps = [render('r', 'Hi {{who}}'), model('m'), { name: 'u', type: 'transform', op: 'upper' }]
  const path = (rest = '') => `/api/workflows/${ids['w']}${rest}`
  const scenario = (fields: Omit<Scenario, 'name' | 'token'> & Partial<Pick<Scenario, 'token'>>) =>
    watcher.run({ name: '', token: as('editor'), ...fields })

  it('creates with v1, filled in', async () => {
    await scenario({
      call: 'POST /api/workflows',
      body: { key: 'w', name: 'Hello', steps },
      status: 201,
      reply: {
        data: {
          key: 'w',
          version: 'v1',
          variables: ['who'],
          steps: [
            { name: 'r' },
            { name: 'm', provider: 'mock', template: '{{input}}', params: {} },
            { name: 'u', op: 'upper' },
          ],
        },
      },
      audit: ['editor create workflow w'],
      frames: changedFrames,
    })
    ids['w'] = (await server.call('GET /api/workflows?key=w')).body.data[0].id
    await scenario({
      call: 'POST /api/workflows',
      body: { key: 'w', steps },
      status: 409,
      reply: { code: 'workflow.key_taken' },
      fields: ['key'],
    })
    await scenario({
      call: 'POST /api/workflows',
      body: { key: 'v', steps: [] },
      status: 422,
      fields: ['steps'],
    })
    await scenario({
      call: 'POST /api/workflows',
      body: { key: 'v', steps },
      token: as('viewer'),
      status: 403,
    })
  })
  it('changes the name immediately and steps as the next version, both audited', async () => {
    const body = { name: 'Hello there' }
    await scenario({
      call: `PATCH ${path()}`,
      body,
      status: 200,
      reply: { data: { version: 'v1', etag: '"2"' } },
      audit: ['editor update workflow w'],
      frames: changedFrames,
    })
    await scenario({
      call: `PATCH ${path()}`,
      body: { steps },
      status: 200,
      reply: { data: { version: 'v1', etag: '"2"' } },
    })
    const fewer = steps.slice(0, 2)
    await scenario({
      call: `PATCH ${path()}`,
      body: { steps: fewer, message: 'softer' },
      status: 200,
      reply: { data: { version: 'v2' } },
      audit: ['editor update workflow w'],
      frames: changedFrames,
    })
    await scenario({
      call: `PATCH ${path()}`,
      body: { steps },
      headers: { 'if-match': '"1"' },
      status: 412,
      fields: ['If-Match'],
    })
    await scenario({
      call: `PATCH ${path()}`,
      body: { steps: [render('a', '{{steps.z.output}}')] },
      status: 422,
      fields: ['steps.0.template'],
    })
  })
  it('lists and returns versions, and rolls back to one', async () => {
    const list = await server.call(`GET ${path('/versions')}`)
    expect(list.body.data.map((row: Data) => [row.version, row.steps.length, row.message])).toEqual([
      ['v2', 2, 'softer'],
      ['v1', 3, ''],
    ])
    await scenario({
      call: `POST ${path('/rollback')}`,
      body: { version: 'v1' },
      status: 200,
      reply: { data: { version: 'v3', variables: ['who'] } },
      audit: ['editor rollback workflow w'],
      frames: changedFrames,
    })
  })
  it('lists workflows, with the last execution', async () => {
    await server.call(`POST ${path('/run')}`, { body: { variables: { who: 'you' } } })
    const list = await server.call('GET /api/workflows?q=hello&fields=summary')
    expect(list.body).toMatchObject({
      total: 1,
      data: [{ key: 'w', step_count: 3, last_run: { status: 'ok' } }],
    })
    expect(list.body.data[0]).not.toHaveProperty('steps')
    expect((await server.call('GET /api/workflows?q=mock')).body.total).toBeGreaterThan(0)
  })
  it('copies', async () => {
    await scenario({
      call: `POST ${path('/duplicate')}`,
      body: { key: 'w2' },
      status: 201,
      reply: { data: { key: 'w2', version: 'v1', variables: ['who'] } },
      audit: ['editor create workflow w2'],
      frames: changedFrames,
    })
  })
  it.each(['json', 'yaml'])('exports as %s and imports the same', async (format) => {
    const file = await server.call(`GET /api/workflows/export?format=${format}&id=${ids['w']}`)
    const body = { files: [{ name: `w.${format}`, content: file.text }], prefix: format }
    expect(
      (await server.call('POST /api/workflows/import', { body: { ...body, preview: true } })).body.data,
    ).toMatchObject({ created: 1 })
    expect((await server.call('POST /api/workflows/import', { body })).body.data).toMatchObject({
      created: 1,
    })
    const [copy] = (await server.call(`GET /api/workflows?key=${format}/w`)).body.data
    expect(copy.steps).toEqual((await server.call(`GET ${path()}`)).body.data.steps)
    expect((await server.call('POST /api/workflows/import', { body })).body.data).toMatchObject({
      unchanged: 1,
    })
  })
  it('keeps variables of every name in the steps of agents', async () => {
    const text = '{"__proto__":"a","__proto__..__proto__":"c","constructor":"b"}'
    const step = { name: 'a', type: 'agent', agent_key: 'nobody', variables: JSON.parse(text) }
    const reply = await server.call('POST /api/workflows', { body: { key: 'names', steps: [step] } })
    expect(reply.text).toContain(`"variables":${text}`)
  })
  it('refuses an import with invalid steps, and names the place', async () => {
    const content =
      'workflows:\n  - key: bad\n    steps:\n      - {name: a, type: render, template: "{{steps.b.output}}"}\n'
    const reply = await server.call('POST /api/workflows/import', {
      body: { files: [{ name: 'w.yaml', content }] },
    })
    expect(reply.body.errors.map((error: Data) => error.path)).toEqual(['files.0.0.steps.0.template'])
  })
  it('deletes it, and keeps its executions', async () => {
    const [run] = (await server.call(`GET ${path('/runs')}`)).body.data
    await scenario({
      call: `DELETE ${path()}`,
      status: 200,
      audit: ['editor delete workflow w'],
      frames: changedFrames,
    })
    expect((await server.call(`GET ${path('/runs')}`)).status).toBe(404)
    const record = await server.call(`GET /api/workflow-runs/${run.id}`)
    expect(record.body.data).toMatchObject({
      workflow_key: 'w',
      status: 'ok',
      steps: [{ name: 'r' }, { name: 'm' }, { name: 'u' }],
    })
  })
})
