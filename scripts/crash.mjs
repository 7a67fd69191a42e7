import { parseArgs } from 'node:util'
import { ensure } from './ensure.mjs'
import { PlainError, script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

/**
 * `npm run test:crash -- [--kills 1000] [--seed 1] [--shard 1/1]`: kills the service under load, during
 * start, restore and migration. Shards of one seed are independent, so a large number of kills can be divided
 * over several runs.
 */
await script(async () => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      shard: { type: 'string', default: '1/1' },
    },
  })
  const [, shard, shards] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.shard) ?? []
  const [kills, seed] = [Number(values.kills), Number(values.seed)]
  if (
    shard === undefined ||
    Number(shard) > Number(shards) ||
    !Number.isInteger(kills) ||
    kills < 20 * Number(shards) ||
    !Number.isInteger(seed)
  )
    throw new PlainError(
      'Usage: npm run test:crash -- [--kills 1000] [--seed 1] [--shard 1/4]   (at least 20 kills per shard)',
    )
  await ensure(['server'])
  const { code } = await runTool(
    tools.vitest,
    ['run', 'test/anomaly/crash.test.ts', 'test/anomaly/migration-kill.test.ts', '--no-file-parallelism'],
    {
      show: true,
      env: {
        ...process.env,
        CRASH_KILLS: String(Math.ceil(kills / Number(shards))),
        CRASH_SEED: String(seed * 1000 + Number(shard)),
      },
    },
  )
  process.exitCode = code
})
