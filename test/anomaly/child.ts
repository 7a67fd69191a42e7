import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach } from 'vitest'
import { nodeFlags } from '../support/process.ts'

const script = fileURLToPath(new URL('./child.mjs', import.meta.url))
const children = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of children) await end(child)
  children.clear()
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

export type Child = {
  readonly pid: number
  /** Output lines so far. */
  readonly lines: readonly string[]
  /** Resolves when the child has printed `count` lines; rejects if it exits before. */
  printed(count: number): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Closes the child's stdin, which makes it close the store and exit. */
  finish(): void
  /** Kills the child; resolves when all its output has been read. */
  kill(): Promise<void>
  /** Exit code and error output. */
  readonly ended: Promise<{ code: number | null; error: string }>
}

/** Starts a process that opens the store in `folder`; it is killed after the test. */
export function start(
  folder: string,
  mode: 'hold' | 'write',
  options: { url?: string; env?: NodeJS.ProcessEnv } = {},
): Child {
  const args = [script, folder, mode, ...(options.url === undefined ? [] : [options.url])]
  const child = spawn(process.execPath, [...nodeFlags, ...args], {
    env: { ...process.env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.add(child)
  const lines: string[] = []
  let error = ''
  child.stderr.on('data', (chunk) => {
    error += String(chunk)
  })
  const reader = createInterface({ input: child.stdout })
  let isClosed = false
  const closed = once(reader, 'close').then(() => {
    isClosed = true
  })
  reader.on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, error }))
  return {
    pid: child.pid ?? 0,
    lines,
    async printed(count) {
      while (lines.length < count && !isClosed) await Promise.race([once(reader, 'line'), closed])
      if (lines.length < count)
        await ended.then(() => Promise.reject(new Error(`it printed ${lines.length} lines: ${error}`)))
    },
    signal: (name) => void child.kill(name),
    finish: () => void child.stdin.end(),
    async kill() {
      await end(child)
      await closed
    },
    ended,
  }
}
