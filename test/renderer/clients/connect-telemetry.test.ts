import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { serviceToken } from '../../support/service.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { patience } from '../support/console.ts'
import { withConnect } from '../support/fixtures/connect.ts'

/** An app that reads everything from the environment, like one with an SDK of OpenTelemetry. */
const app = `
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector } from '@opentelemetry/resources'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
const provider = new BasicTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
})
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
}
provider.getTracer('app').startSpan('chat gpt-4o', { attributes }).end()
await provider.shutdown()
`

describe('connect an app with OpenTelemetry', { timeout: patience }, () => {
  const { shared, open } = withConnect()

  it('gives the variables with which an exporter sends a run to the chosen place', async () => {
    await shared.console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    const { page, part, close } = await open()
    await part.namespace('test').click()
    await part.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Team Blue' }).click()
    await part.dialog.getByRole('tab', { name: 'OpenTelemetry', exact: true }).click()
    await part.dialog.getByRole('region', { name: 'OpenTelemetry', exact: true }).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    const variables = await part.copy('OpenTelemetry')
    expect(variables).toContain(`endpoint = "${shared.console.server.url}/v1/logs"`)
    const shell = `${variables}\nexec "$0" --input-type=module --eval "$1"`
    await promisify(execFile)('sh', ['-c', shell, process.execPath, app], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: { ...process.env, PROMPTDECK_TOKEN: serviceToken },
    })
    const { body } = await shared.console.server.call('GET /api/runs?source=otel&workspace=team-blue')
    expect(body.data).toMatchObject([{ app: 'my-app', env: 'test', model: 'gpt-4o', status: 'ok' }])
    await close()
  })
})
