import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Missing, runTool } from './tool.mjs'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
let built = null

/** Builds `sdk/js` once; concurrent callers share the build. */
export function buildJs() {
  built ??= build()
  return built
}

async function build() {
  if (!existsSync(join(root, 'sdk/js/package.json'))) throw new Missing('there is no sdk/js')
  const script = 'sdk/js/build.mjs'
  if (existsSync(join(root, script))) await runTool(process.execPath, [script], { cwd: root })
  else await runTool('npm', ['run', 'build'], { cwd: join(root, 'sdk/js') })
}
