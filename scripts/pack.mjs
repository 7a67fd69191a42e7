import { ensure } from './ensure.mjs'
import { Plain, script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

/** `npm run pack -- --linux`: builds all and packs the desktop app into release/. Fetches Electron for the target. */
await script(async () => {
  await ensure(['server', 'console'], { force: true })
  const { code } = await runTool(tools.electronBuilder, process.argv.slice(2), { show: true })
  if (code !== 0) throw new Plain('electron-builder failed.')
})
