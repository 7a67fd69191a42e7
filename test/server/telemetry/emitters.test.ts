import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { beforeAll, describe, expect, it } from 'vitest'
import { genAi } from '../../../server/telemetry/convert/conventions/gen-ai.ts'
import { server, setUpService } from '../file-service.ts'
import { claudeCode, codex } from './fixtures/agents.ts'
import { agent, current, earlier } from './fixtures/gen-ai.ts'
import { langChain, openAi } from './fixtures/openinference.ts'
import { openLlmetry } from './fixtures/traceloop.ts'
import { generate, stream } from './fixtures/vercel-ai.ts'
import { runsIn, send } from './telemetry-support.ts'

const fixtures = [
  current,
  earlier,
  agent,
  openAi,
  langChain,
  generate,
  stream,
  openLlmetry,
  claudeCode,
  codex,
]

setUpService(async () => {
  await server.call('PATCH /api/settings', { body: { capture: 'full' } })
})

/** Fields that differ between two deliveries. */
const withoutIds = ({
  id: _id,
  workspace_id: _workspace,
  request_id: _request,
  client_run_id: _clientRun,
  ...run
}: Record<string, unknown>) => run

describe.each(fixtures)('$emitter', ({ emitter, signal, request, runs }) => {
  const slug = `w-${fixtures.findIndex((each) => each.emitter === emitter)}`
  const message = request(Date.now() - 60_000)

  beforeAll(async () => {
    for (const encoding of ['json', 'protobuf'] as const) {
      const workspace = `${slug}-${encoding}`
      await server.call('POST /api/workspaces', { body: { name: workspace, slug: workspace } })
      const headers = { 'promptdeck-workspace': workspace }
      const first = await send(server, signal, message, { encoding, headers })
      expect({ status: first.status, body: first.bytes.toString() }).toEqual({
        status: 200,
        body: encoding === 'json' ? '{}' : '',
      })
      // An exporter sends again if it did not receive the reply.
      expect((await send(server, signal, message, { encoding, headers })).status).toBe(200)
    }
  })

  it('becomes exactly its runs, once', async () => {
    const stored = await runsIn(server, `${slug}-json`)
    expect(stored).toHaveLength(runs.length)
    for (const [index, expected] of runs.entries()) {
      expect(stored[index]).toMatchObject({ source: 'otel', reported: true, token: 'service-token' })
      for (const [field, value] of Object.entries(expected))
        expect(stored[index]?.[field], field).toEqual(value)
    }
  })

  it('becomes the same runs in both encodings', async () => {
    const [json, binary] = [await runsIn(server, `${slug}-json`), await runsIn(server, `${slug}-protobuf`)]
    expect(binary.map(withoutIds)).toEqual(json.map(withoutIds))
  })
})

describe('names of attributes', () => {
  // Names of versions that the package no longer contains, and of emitters that precede the conventions.
  const others = [
    'gen_ai.usage.total_tokens',
    'gen_ai.usage.cache_read_input_tokens',
    'gen_ai.usage.reasoning_tokens',
    'gen_ai.usage.cost',
    'gen_ai.prompt.version',
  ]
  it('are those of the semantic conventions', () => {
    const published = new Set<string>(Object.values(conventions).filter((value) => typeof value === 'string'))
    // A metric of the conventions, which emitters also set as an attribute.
    published.add(conventions.METRIC_GEN_AI_SERVER_TIME_TO_FIRST_TOKEN)
    const prefix = genAi.params?.prefix ?? ''
    const names = [
      ...Object.values(genAi.fields).flat(),
      ...Object.keys(genAi.params?.names ?? {}).map((name) => `${prefix}${name}`),
    ]
    expect(names.filter((name) => !published.has(name) && !others.includes(name))).toEqual([])
  })
})
