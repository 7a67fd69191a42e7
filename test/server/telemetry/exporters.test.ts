import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hasPython, runPython } from '../../support/python/python.ts'
import { serviceToken } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** The packages that `.ci/run` installs. */
const javaPackages = pathOf('../../../.cache/otel-java')
// A program that lives for seconds does not gain from optimized code and concurrent collectors.
const javaOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', `${javaPackages}/*`]

setUpService()

type Emitter = {
  readonly name: string
  readonly isInstalled: boolean
  readonly run: (env: Readonly<Record<string, string>>) => Promise<unknown>
}
const emitters: readonly Emitter[] = [
  {
    name: 'python',
    isInstalled: await hasPython('opentelemetry.exporter.otlp.proto.http'),
    run: (env) => runPython([pathOf('clients/exporter.py')], env),
  },
  {
    name: 'java',
    isInstalled: Boolean(process.env['CI']) || existsSync(javaPackages),
    run: (env) =>
      promisify(execFile)('java', [...javaOptions, pathOf('clients/java/Exporter.java')], {
        env: { ...process.env, ...env },
      }),
  },
]

for (const { name, isInstalled, run } of emitters)
  describe.runIf(isInstalled)(`the official exporter for ${name}`, () => {
    it('sends a call and its agent', { timeout: 60_000 }, async () => {
      await run({
        OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${serviceToken}`,
        PROMPTDECK_TOKEN: serviceToken,
      })
      const app = `${name}-app`
      const [sent, ...others] = (await server.call(`GET /api/runs?app=${app}`)).body.data
      expect(others).toEqual([])
      expect(sent).toMatchObject({ source: 'otel', app, provider: 'openai', model: 'gpt-4o' })
      const { body } = await server.call(`GET /api/spans?trace_id=${sent.trace_id}`)
      expect(body.data).toMatchObject([{ span_id: sent.parent_span_id, kind: 'agent', name: 'planner' }])
    })
  })
