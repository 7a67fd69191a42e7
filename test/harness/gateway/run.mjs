import { parseArgs } from 'node:util'
import { ensure } from '../../../scripts/ensure.mjs'
import { PlainError, script } from '../../../scripts/lib/root.mjs'
import { runTool, tools } from '../../../scripts/lib/run.mjs'

/**
 * `npm run test:gateway -- [--calls 10000] [--kills 50]`: kills the service while calls pass through the gateway, and
 * checks that each call let in is exactly one run, and that no key and no text of a prompt is in a file or the output.
 */
await script(async () => {
  const { values } = parseArgs({
    options: { calls: { type: 'string', default: '10000' }, kills: { type: 'string', default: '50' } },
  })
  const [calls, kills] = [Number(values.calls), Number(values.kills)]
  if (!Number.isInteger(kills) || !Number.isInteger(calls) || kills < 1 || calls < 40 * kills)
    throw new PlainError(
      'Usage: npm run test:gateway -- [--calls 10000] [--kills 50]   (at least 40 calls per kill)',
    )
  await ensure(['server'])
  const { code } = await runTool(tools.vitest, ['run', 'test/anomaly/gateway-calls.test.ts'], {
    show: true,
    env: { ...process.env, GATEWAY_CALLS: String(calls), GATEWAY_KILLS: String(kills) },
  })
  process.exitCode = code
})
