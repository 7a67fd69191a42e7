import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { maxJsonDepth, pathBeyondDepth } from '../../../contract/formats/json.ts'
import { parsedArguments } from '../../../server/models/protocol/tool-arguments.ts'
import { server, setUpService } from '../file-service.ts'
import { makeWorkflow, runWorkflow, stepOf } from '../workflows/workflow-support.ts'

/** Returns JSON of an object with so many levels. */
const levels = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
const depths = [maxJsonDepth + 1, 200, 5_000, 60_000]

setUpService()

describe('the depth of JSON', () => {
  it('counts objects and lists, and names the first path beyond the limit', () => {
    expect(pathBeyondDepth(JSON.parse(levels(maxJsonDepth)))).toBeNull()
    expect(pathBeyondDepth(JSON.parse(levels(maxJsonDepth + 1)))).toBe(
      Array(maxJsonDepth).fill('a').join('.'),
    )
    expect(pathBeyondDepth([{ b: [[1]] }], 3)).toBe('0.b.0')
    expect(pathBeyondDepth('text')).toBeNull()
  })

  const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }
  it.each([
    ['POST /api/runs', 'input', run],
    ['POST /api/runs', 'params', run],
    ['POST /api/playground/run', 'variables', { provider: 'mock', content: 'x' }],
    ['POST /api/playground/run', 'response_schema', { provider: 'mock', content: 'x' }],
    ['POST /api/workflows', 'steps', { key: 'deep' }],
    ['POST /api/agents', 'params', { key: 'deep', content: 'x' }],
    ['POST /api/prompts', 'variables', { key: 'deep', content: 'x' }],
    ['PATCH /api/settings', 'prices', {}],
    ['POST /api/login', 'username', { password: 'x' }],
  ])('is 422 beyond 64 levels in %s `%s`', async (what, field, rest) => {
    // The body of a sign-in has at most 64 KiB.
    const possible = depths.filter((depth) => what !== 'POST /api/login' || depth <= 5_000)
    for (const depth of possible) {
      const raw = JSON.stringify({ ...rest, [field]: 0 }).replace(
        `"${field}":0`,
        `"${field}":${levels(depth)}`,
      )
      const reply = await server.call(what, { raw })
      expect({ status: reply.status, code: reply.body.code }).toEqual({
        status: 422,
        code: 'request.invalid',
      })
      expect(reply.body.errors[0]).toEqual({
        path: expect.stringMatching(new RegExp(`^${field}\\.a`)),
        message: 'Nested deeper than 64 levels',
      })
    }
  })

  it.each([
    ['POST /api/runs', 'metadata', run],
    ['POST /api/playground/run', 'variables', { provider: 'mock', content: '{{x}}' }],
  ])('is not the only limit in %s `%s`', async (what, field, rest) => {
    const errorsOf = async (json: string) => {
      const raw = JSON.stringify({ ...rest, [field]: 0 }).replace(`"${field}":0`, `"${field}":${json}`)
      return (await server.call(what, { raw })).body.errors
    }
    // It would be stored as null.
    expect(await errorsOf('{"x":-1e400}')).toEqual([
      { path: `${field}.x`, message: 'A number beyond 1.8e308' },
    ])
    const members = (count: number) =>
      JSON.stringify(
        Object.fromEntries(
          Array(count)
            .fill(0)
            .map((_, n) => [`m${n}`, 1]),
        ),
      )
    const tooMany = [{ path: field, message: 'More than 10000 members' }]
    expect(await errorsOf(members(10_001))).toEqual(tooMany)
    expect(await errorsOf(members(10_000))).not.toEqual(tooMany)
  })

  it('is accepted up to 64 levels', async () => {
    const raw = JSON.stringify({ ...run, input: 0 }).replace(
      '"input":0',
      `"input":${levels(maxJsonDepth - 1)}`,
    )
    expect((await server.call('POST /api/runs', { raw })).status).toBe(201)
  })

  it.each([
    ['JSON', 'a.json', (depth: number) => `[{"key":"k","content":"x","extra":${levels(depth)}}]`],
    [
      'YAML',
      'a.yaml',
      (depth: number) => `- key: k\n  content: x\n  extra: ${'['.repeat(depth)}${']'.repeat(depth)}\n`,
    ],
    [
      'YAML of nested lists',
      'b.yaml',
      (depth: number) => `key: k\ncontent: x\nextra:\n  ${'- '.repeat(depth)}x\n`,
    ],
    ['YAML of compact lists', 'c.yaml', (depth: number) => `${'- '.repeat(depth)}x\n- y\n`],
    [
      'Markdown',
      'a.md',
      (depth: number) => `---\nkey: k\nextra: ${'['.repeat(depth)}${']'.repeat(depth)}\n---\nx\n`,
    ],
  ])('is 422 beyond the limit in an imported file of %s', async (_name, name, content) => {
    for (const noun of ['prompts', 'agents', 'workflows'].slice(0, name.endsWith('md') ? 1 : 3)) {
      for (const depth of depths) {
        const body = { files: [{ name, content: content(depth) }], preview: true }
        const reply = await server.call(`POST /api/${noun}/import`, { body })
        expect({ status: reply.status, path: reply.body.errors?.[0].path }).toEqual({
          status: 422,
          path: 'files.0.content',
        })
        expect(reply.body.detail).toContain('Nested deeper than 64 levels')
      }
    }
  })

  it('does not crash the service if the keys of a YAML file are nested', async () => {
    for (const depth of [5_000, 60_000]) {
      const body = { files: [{ name: 'd.yaml', content: `${'? '.repeat(depth)}x\n: y\n` }], preview: true }
      expect((await server.call('POST /api/prompts/import', { body })).status).toBe(422)
    }
  })

  it('closes a live connection beyond the limit with 1008 and the reason', async () => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/ws?client=node-sdk&app=t&namespace=prod`,
      {
        headers: { authorization: `Bearer ${server.config.serviceToken}` },
      },
    )
    await once(socket, 'message')
    socket.send(`{"type":"ack","key":"k","version":"v1","more":${levels(300)}}`)
    const [code, reason] = await once(socket, 'close')
    expect([code, String(reason)]).toEqual([1008, 'Nested deeper than 64 levels'])
  })

  it('is an error of the step beyond the limit in the input of a json_path', async () => {
    const id = await makeWorkflow(server, [
      { type: 'transform', name: 'pick', op: 'json_path', template: '{{input}}', path: '$.a' },
    ])
    for (const depth of depths.map((levels) => Math.min(levels, 40_000))) {
      const reply = await runWorkflow(server, id, { input: levels(depth) })
      expect(stepOf(reply, 'pick').error).toBe('json_path: The input is JSON nested deeper than 64 levels')
    }
  })

  it('replaces tool call arguments beyond the limit by a message', () => {
    expect(parsedArguments(levels(60_000))).toBe('[Nested deeper than 64 levels]')
    expect(parsedArguments('{"a":1}')).toEqual({ a: 1 })
  })
})
