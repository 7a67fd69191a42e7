import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJobs, type Jobs } from '../../../server/compose/jobs/jobs.ts'
import { systemContext } from '../../../server/lib/context.ts'
import { Problem } from '../../../server/lib/fail.ts'
import { server, setUpService } from '../file-service.ts'
import { edit, makePrompt } from '../prompts/prompts-support.ts'
import { makeWorkflow, runWorkflow, stepOf } from '../workflows/workflow-support.ts'

/** 28 levels of one list, and a path that selects each of them twice: 2^28 matches. */
const nested = `${'['.repeat(28)}1${']'.repeat(28)}`
const union = `$${'[*,*]'.repeat(28)}`
/** The same, but the matches are counted before there is a result. */
const counting = `$[?count(@${'[*,*]'.repeat(27)}) > 0]`

setUpService()

/** Waits for `work`. Returns the number of replies to other callers meanwhile, at most `enough`. */
async function answeredDuring(work: Promise<unknown>, enough: number): Promise<number> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  let answered = 0
  while (!isOver && answered < enough) {
    const reply = await server.call('GET /api/me')
    if (reply.status !== 200) throw new Error(`GET /api/me answered ${reply.status}`)
    if (!isOver) answered += 1
  }
  await over
  return answered
}

describe('a json_path with an exponential number of matches', () => {
  it.each([
    [
      'a path of unions',
      union,
      /^json_path: (?:The result is larger|The path (?:takes longer|needs too much))/,
    ],
    ['a path inside a filter', counting, /^json_path: The path (?:takes longer|needs too much)/],
  ])(
    '%s fails its step with the reason, and other requests are served meanwhile',
    async (_name, path, reason) => {
      const id = await makeWorkflow(server, [
        { type: 'transform', name: 'pick', op: 'json_path', template: '{{input}}', path },
      ])
      const running = runWorkflow(server, id, { input: nested })
      expect(await answeredDuring(running, 11)).toBe(11)
      expect(stepOf(await running, 'pick')).toMatchObject({
        status: 'error',
        error: expect.stringMatching(reason),
      })
    },
    60_000,
  )

  it('ends immediately when its execution is cancelled', async () => {
    const id = await makeWorkflow(server, [
      { type: 'transform', name: 'pick', op: 'json_path', template: '{{input}}', path: counting },
    ])
    const controller = new AbortController()
    const request = fetch(`${server.url}/api/workflows/${id}/run`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.config.serviceToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ input: nested, stream: true }),
      signal: controller.signal,
    }).then(async (reply) => {
      for await (const chunk of reply.body ?? [])
        if (String(Buffer.from(chunk)).includes('step_started')) controller.abort()
    })
    await expect(request).rejects.toThrow(/abort/i)
    const runs = () => server.call(`GET /api/workflows/${id}/runs`)
    let [run] = (await runs()).body.data
    while (run.status === 'running') [run] = (await runs()).body.data
    const execution = (await server.call(`GET /api/workflow-runs/${run.id}`)).body.data
    expect(execution).toMatchObject({ status: 'cancelled', error: null })
  })
})

describe('other work whose size users choose', () => {
  it('compares two very different texts without blocking other requests', async () => {
    const text = (sign: string) => Array.from({ length: 40_000 }, (_, n) => `${sign}${n % 7}`).join('\n')
    const prompt = await makePrompt(server, { key: 'work/diff', content: text('a') })
    await edit(server, prompt.id, { content: text('b') })
    const comparing = server.call(`GET /api/prompts/${prompt.id}/diff?from=v1&to=draft`)
    expect(await answeredDuring(comparing, 1)).toBe(1)
    const { data } = (await comparing).body
    expect(data).toMatchObject({ coarse: true, added_lines: 40_000, removed_lines: 40_000 })
    expect(data.lines.length).toBe(20_000)
    expect(data.omitted_lines).toBe(60_000)
  })

  it('reads a YAML file with many small nodes without blocking other requests', async () => {
    const content = `- key: y/one\n  content: x\n  extra: [${'[],'.repeat(10_000)}1]\n`
    const importing = server.call('POST /api/prompts/import', {
      body: { files: [{ name: 'big.yaml', content }], preview: true },
    })
    expect(await answeredDuring(importing, 4)).toBe(4)
    expect((await importing).body.data).toMatchObject({ created: 1 })
  }, 60_000)

  it('refuses aliases that expand to more than the size limit of the file', async () => {
    const content = `text: &text ${'x'.repeat(200_000)}\nprompts: [${'*text, '.repeat(80)}]\n`
    const reply = await server.call('POST /api/prompts/import', {
      body: { files: [{ name: 'alias.yaml', content }], preview: true },
    })
    expect({ status: reply.status, detail: reply.body.detail }).toEqual({
      status: 422,
      detail: expect.stringContaining('than 8 MiB after its aliases are resolved'),
    })
  })
})

describe('the pool', () => {
  const contextOf = (name: string) => {
    const ctx = systemContext(new Date(), 'req')
    return { ...ctx, actor: { ...ctx.actor, kind: 'user' as const, id: name, name } }
  }
  const noAbort = new AbortController().signal
  let runner: Jobs
  beforeAll(() => {
    runner = createJobs({ json_path: 500 })
  })
  afterAll(() => runner.close())

  it('serves one owner while another fills their queue with endless work', async () => {
    const ended: string[] = []
    const hostile = Array.from({ length: 4 }, () =>
      runner.extract(contextOf('eve'), nested, counting, noAbort).then((result) => {
        ended.push('eve')
        return result
      }),
    )
    const ordinary = await runner.extract(contextOf('ann'), '{"a":[1]}', '$.a[0]', noAbort)
    ended.push('ann')
    expect(ordinary).toEqual({ found: '1' })
    for (const result of await Promise.all(hostile))
      expect(result).toEqual({
        error: expect.stringMatching(/^The path (?:takes longer than 0.5 s|needs too much)/),
      })
    expect(ended.indexOf('ann')).toBeLessThan(2)
  }, 30_000)

  it('accepts at most 32 waiting jobs per owner', async () => {
    const jobs = Array.from({ length: 40 }, () => runner.extract(contextOf('eve'), '[1]', '$[0]', noAbort))
    const results = await Promise.allSettled(jobs)
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    expect(refused.length).toBeGreaterThan(0)
    for (const reason of refused) expect(reason instanceof Problem && reason.code).toBe('rate_limited')
    expect(await runner.extract(contextOf('eve'), '[1]', '$[0]', noAbort)).toEqual({ found: '1' })
  })

  it('drops a job whose signal aborts, waiting or running', async () => {
    const controller = new AbortController()
    const jobs = [0, 1].map(() => runner.extract(contextOf('bob'), nested, counting, controller.signal))
    controller.abort(new Error('left'))
    for (const result of await Promise.allSettled(jobs))
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'left' } })
    expect(await runner.extract(contextOf('bob'), '[1]', '$[0]', noAbort)).toEqual({ found: '1' })
  })
})
