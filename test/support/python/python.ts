import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const packages = fileURLToPath(new URL('../../../.cache/python', import.meta.url))

/** Runs Python with the packages that `.ci/run` installs. */
export const runPython = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)('python3', [...args], {
    env: { ...process.env, PYTHONPATH: process.env['PYTHONPATH'] ?? packages, ...env },
  })

/** Returns true if a module exists. `.ci/run` installs it, so a test whose module is missing fails there. */
export const hasPython = async (module: string): Promise<boolean> =>
  Boolean(process.env['CI']) ||
  runPython(['-c', `import ${module}`]).then(
    () => true,
    () => false,
  )
