import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { processAdapter } from '../lib/adapter.mjs'
import { root } from './build-js.mjs'
import { Missing, runTool } from './tool.mjs'

const python = process.platform === 'win32' ? 'python' : 'python3'
const dependencies = join(root, '.cache', 'sdk-python')

/**
 * Starts the Python client from its sources. Its dependencies are installed into `.cache` on the first run.
 */
export async function start() {
  if (!existsSync(join(root, 'sdk/python/pyproject.toml'))) throw new Missing('there is no sdk/python')
  const version = await runTool(python, ['-c', 'import sys; print(sys.version_info >= (3, 10))'])
  if (version.trim() !== 'True') throw new Missing(`${python} is older than 3.10`)
  await installDependencies()
  const paths = [join(root, 'sdk/python/src'), dependencies]
  return processAdapter(
    spawn(python, ['-u', 'sdk/python/conformance/adapter.py'], {
      cwd: root,
      env: {
        ...process.env,
        PYTHONPATH: paths.join(delimiter),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUTF8: '1',
        // These must have no effect on the client; the proxy does not exist.
        PYTHONHTTPSVERIFY: '0',
        HTTP_PROXY: 'http://127.0.0.1:1',
      },
    }),
  )
}

/** Installs the dependencies listed in `pyproject.toml`, without the client itself. */
async function installDependencies() {
  const readScript =
    'import tomllib;print("\\n".join(tomllib.load(open("pyproject.toml","rb"))["project"]["dependencies"]))'
  const requirements = await runTool(python, ['-c', readScript], { cwd: join(root, 'sdk/python') })
  const stamp = join(dependencies, encodeURIComponent(requirements.trim()).slice(0, 200))
  if (existsSync(stamp)) return
  mkdirSync(dependencies, { recursive: true })
  await runTool(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--upgrade',
    '--target',
    dependencies,
    ...requirements.trim().split('\n'),
  ])
  mkdirSync(stamp)
}
