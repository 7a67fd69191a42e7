import { describe, expect, it } from 'vitest'
import { codex } from './fixtures/agents.ts'
import { traceRequest } from './fixtures/otlp.ts'
import { json, now, protobuf, server, setUpService, spanAt, trace, workspace } from './protocol-support.ts'
import { encode, post, requestNames, runsIn } from './telemetry-support.ts'

setUpService()

/** Number of fuzzed requests; more with OTLP_FUZZ. */
const fuzzCount = Number(process.env['OTLP_FUZZ'] ?? 300)

describe('fuzzed requests', () => {
  it.each([
    [
      'traces',
      () => traceRequest(trace, { 'service.name': 'fuzz' }, [spanAt(now(), { 'gen_ai.response.id': 'f' })]),
    ],
    ['logs', () => codex.request(now() - 10_000)],
  ] as const)(
    'of %s are accepted, partially accepted or refused as not retryable, and change nothing else',
    async (signal, requestOf) => {
      const slug = `fuzz-${signal}`
      const headers = await workspace(slug)
      const request = requestOf()
      const sources = {
        protobuf: await encode(requestNames[signal], request),
        json: Buffer.from(JSON.stringify(request)),
      }
      // A linear congruential generator: the same requests in every run.
      let seed = 42
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
        return seed % below
      }
      const before = (await server.call('GET /api/audit?limit=1')).body.total
      for (let round = 0; round < fuzzCount; round += 1) {
        const encoding = round % 2 === 0 ? 'protobuf' : 'json'
        const bytes = Buffer.from(sources[encoding])
        for (let change = 0; change <= random(4); change += 1) bytes[random(bytes.length)] = random(256)
        const cut = random(5) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
        const reply = await post(server, signal, cut, {
          ...(encoding === 'json' ? json : protobuf),
          ...headers,
        })
        expect([200, 400, 413], cut.toString('base64')).toContain(reply.status)
      }
      expect((await server.call('GET /api/audit?limit=1')).body.total).toBe(before)
      expect((await server.call('GET /health')).body.ok).toBe(true)
      const runs = await runsIn(server, slug)
      expect(runs.every(({ source }) => source === 'otel')).toBe(true)
    },
    60_000 + 20 * fuzzCount,
  )
})
