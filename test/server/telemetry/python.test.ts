import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPython, runPython } from '../../support/python/python.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

const script = fileURLToPath(new URL('clients/exporter.py', import.meta.url))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe.runIf(await hasPython('opentelemetry.exporter.otlp.proto.http'))(
  'the official Python exporter',
  () => {
    it('sends a call and its agent', async () => {
      await runPython([script], {
        OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${serviceToken}`,
      })
      const [run, ...others] = (await server.call('GET /api/runs')).body.data
      expect(others).toEqual([])
      expect(run).toMatchObject({ source: 'otel', app: 'python-app', provider: 'openai', model: 'gpt-4o' })
      const { body } = await server.call(`GET /api/spans?trace_id=${run.trace_id}`)
      expect(body.data).toMatchObject([{ span_id: run.parent_span_id, kind: 'agent', name: 'planner' }])
    })
  },
)
