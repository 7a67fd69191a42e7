import { ensure } from './ensure.mjs'
import { findChromium } from './lib/chromium.mjs'
import { at, PlainError, script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'
import { importFile } from './lib/tool.mjs'

/** `npm run bench`: builds what is measured and runs bench/run.ts with the same arguments. */
await script(async () => {
  await ensure(['server', 'console'])
  const { code, output } = await runTool(tools.tsc, ['-b', 'bench'])
  if (code !== 0) throw new PlainError(output)
  const chromium = findChromium()
  if (chromium === null) delete process.env['CHROMIUM_PATH']
  else process.env['CHROMIUM_PATH'] = chromium
  await importFile(at('dist/bench/run.js'))
})
