import { ensure } from './ensure.mjs'
import { log, script } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'

const folders = ['contract', 'server', 'main', 'renderer', 'test', 'bench', 'sdk/js', 'tsconfig.tools.json']

/** `npm run check`: format and lint, types per folder, dead code. All steps run; any finding fails. */
await script(async () => {
  await ensure([])
  const steps = [
    { name: 'format and lint', tool: tools.biome, args: ['check', '--error-on-warnings'] },
    ...folders.map((folder) => ({ name: `types of ${folder}`, tool: tools.tsc, args: ['-b', folder] })),
    { name: 'dead code', tool: tools.knip, args: ['--treat-config-hints-as-errors'] },
  ]
  let findings = 0
  for (const { name, tool, args } of steps) {
    const { code, output } = await runTool(tool, args)
    log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name}`)
    if (code === 0) continue
    findings += 1
    log(output.trimEnd())
  }
  log(findings === 0 ? 'check: nothing found' : `check: ${findings} of ${steps.length} failed`)
  process.exitCode = findings === 0 ? 0 : 1
})
