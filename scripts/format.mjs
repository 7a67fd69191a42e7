import { ensure } from './ensure.mjs'
import { script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

/** `npm run format`: applies Biome's fixes and prints the remaining findings. */
await script(async () => {
  await ensure([])
  const { code } = await runTool(tools.biome, ['check', '--write', ...process.argv.slice(2)], { show: true })
  process.exitCode = code
})
