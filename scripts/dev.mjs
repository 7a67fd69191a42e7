import { spawn } from 'node:child_process'
import { ensure } from './ensure.mjs'
import { at, log, root, script } from './lib/root.mjs'
import { tools } from './lib/run.mjs'

/** A fixed port, because the console's server needs it before the service has started. */
const port = Number(process.env['PORT']) > 0 ? String(process.env['PORT']) : '4780'
const consolePort = '4781'
const origins = [`http://127.0.0.1:${consolePort}`, `http://localhost:${consolePort}`]

/** `npm run dev`: compiler, service and console, each reloading on change. Ctrl-C ends all three. */
await script(async () => {
  await ensure(['server'])
  const env = {
    ...process.env,
    PORT: port,
    PROMPTDECK_URL: `http://127.0.0.1:${port}`,
    ALLOWED_ORIGINS: [process.env['ALLOWED_ORIGINS'], ...origins].filter(Boolean).join(','),
  }
  const jobs = [
    [at('node_modules', tools.tsc), '-b', '--watch', '--preserveWatchOutput', 'contract', 'server', 'main'],
    ['--watch', '--watch-preserve-output', at('dist/server/cli.js')],
    [at('node_modules', tools.vite), '--port', consolePort, '--strictPort', '--host', '127.0.0.1'],
  ]
  // A process group for each: the compiler is a program started by a script, and both must end.
  const detached = process.platform !== 'win32'
  const children = jobs.map((args) =>
    spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached }),
  )
  let isStopping = false
  const stop = (/** @type {number} */ code) => {
    if (isStopping) return
    isStopping = true
    process.exitCode = code
    for (const child of children) {
      if (child.pid === undefined || (child.exitCode ?? child.signalCode) !== null) continue
      if (detached) process.kill(-child.pid, 'SIGTERM')
      else child.kill()
    }
  }
  // Handle the signals, so that this process exits only after its children.
  process.on('SIGINT', () => stop(130)).on('SIGTERM', () => stop(143))
  for (const child of children) child.on('exit', (code) => stop(code ?? 1))
  log(`console with hot reload: ${origins[0]}`)
})
