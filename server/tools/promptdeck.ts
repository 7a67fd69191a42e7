import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { existsSync } from '../disk/fs.ts'
import type { Program, Terminal } from './command/io/command-context.ts'
import { Failure } from './command/io/failure.ts'
import { runCommand } from './command/program.ts'

/** The folder of the installation. This file is in dist/bundle/service/ or in dist/server/tools/. */
const root = new URL('../../../', import.meta.url)

/** True once the service runs in this process. It sets the exit code when it ends. */
let isServing = false

/** Imports a program of this installation, which reads `process.argv`. */
async function runProgram(name: Program, args: readonly string[]): Promise<void> {
  const path = name === 'start' ? 'scripts/start.mjs' : `dist/bundle/service/${name}.js`
  const file = new URL(path, root)
  if (!existsSync(fileURLToPath(file)))
    throw new Failure(
      `"${name}" is not part of this installation`,
      `${fileURLToPath(file)} does not exist`,
      'Open the desktop app, or use "promptdeck serve"',
    )
  isServing = name === 'start' || name === 'cli'
  process.argv = [process.execPath, fileURLToPath(file), ...args]
  await import(file.href)
}

const terminal: Terminal = {
  async ask(question) {
    const reader = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return (await reader.question(question)).trim()
    } finally {
      reader.close()
    }
  },
}

// A reader that needs no more, such as `head`, may end first. A service in this process continues to run.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const code = await runCommand(process.argv.slice(2), {
  env: process.env,
  platform: process.platform,
  home: homedir(),
  in: process.stdin,
  out: process.stdout,
  err: process.stderr,
  terminal: process.stdin.isTTY ? terminal : null,
  now: () => new Date(),
  runProgram,
})
// A tool that ran in this process may have failed.
if (code !== 0 || !isServing) process.exitCode = code || (process.exitCode ?? 0)
