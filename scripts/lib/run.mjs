import { spawn } from 'node:child_process'
import { at, root } from './root.mjs'

/**
 * Runs a program to its end and returns its exit code and output.
 * @param {string} command @param {readonly string[]} args
 * @param {{
 *   env?: NodeJS.ProcessEnv, shell?: boolean, show?: boolean, callerHandlesSignals?: boolean,
 *   timeoutMs?: number
 * }} [options]
 *   `callerHandlesSignals`: signals do not end the program; it is ended when this process exits
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(
  command,
  args,
  { env = process.env, shell = false, show = false, callerHandlesSignals = false, timeoutMs } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      shell,
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: 'SIGKILL' }),
    })
    let output = ''
    const append = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString()
    }
    child.stdout?.on('data', append)
    child.stderr?.on('data', append)
    // A tool left running would continue to write files that the next command uses, so it is ended with this
    // process.
    let exitWith = 0
    const stop = (/** @type {NodeJS.Signals} */ signal) => {
      exitWith = signal === 'SIGINT' ? 130 : 143
      child.kill(signal)
      setTimeout(() => child.kill('SIGKILL'), 5_000).unref()
    }
    const kill = () => child.kill()
    if (callerHandlesSignals) process.on('exit', kill)
    else process.on('SIGINT', stop).on('SIGTERM', stop)
    const removeListeners = () => process.off('exit', kill).off('SIGINT', stop).off('SIGTERM', stop)
    child.on('error', (error) => {
      removeListeners()
      reject(error)
    })
    child.on('close', (code) => {
      removeListeners()
      if (exitWith !== 0) process.exit(exitWith)
      resolve({ code: code ?? 1, output })
    })
  })
}

/**
 * Runs a JavaScript tool of node_modules with this Node.
 * @param {string} tool @param {readonly string[]} args @param {Parameters<typeof run>[2]} [options]
 */
export const runTool = (tool, args, options) =>
  run(process.execPath, [at('node_modules', tool), ...args], options)

export const tools = {
  tsc: 'typescript/bin/tsc',
  vite: 'vite/bin/vite.js',
  vitest: 'vitest/vitest.mjs',
  biome: '@biomejs/biome/bin/biome',
  knip: 'knip/bin/knip.js',
  electronBuilder: 'electron-builder/cli.js',
}

/** Runs npm: the one that started this process, else the one on the path. @param {readonly string[]} args */
export function runNpm(args) {
  // Development packages are needed for the build, even if NODE_ENV excludes them.
  const env = { ...process.env, npm_config_include: 'dev' }
  const npm = process.env['npm_execpath']
  if (npm !== undefined && /npm-cli\.c?js$/.test(npm)) return run(process.execPath, [npm, ...args], { env })
  const isWindows = process.platform === 'win32'
  return run(isWindows ? 'npm.cmd' : 'npm', args, { env, shell: isWindows })
}
