import { ensure } from './ensure.mjs'
import { script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

/** `npm run format`: rewrites what biome can; says what is left. */
await script(async () => {
  await ensure([])
  const { code } = await runTool(tools.biome, ['check', '--write', ...process.argv.slice(2)], { show: true })
  process.exitCode = code
})
