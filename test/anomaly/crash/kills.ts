import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { environment, nodeFlags } from '../../support/process.ts'

const program = (file: string) =>
  fileURLToPath(new URL(`../../../dist/bundle/service/${file}`, import.meta.url))

/**
 * Runs a file of the build on a data folder and kills it after `ms`, unless it has ended before.
 * Returns true when the kill ended it.
 */
export async function killAfter(
  file: 'cli.js' | 'restore.js',
  args: readonly string[],
  dataDir: string,
  ms: number,
): Promise<boolean> {
  const child = spawn(process.execPath, [...nodeFlags, program(file), ...args], {
    env: environment({ DATA_DIR: dataDir, JOURNAL_MB: '1' }),
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  // The time of the kill is the random input of this test; no state is awaited here.
  await Promise.race([delay(ms), exited])
  child.kill('SIGKILL')
  const [, signal] = await exited
  return signal === 'SIGKILL'
}

/** Runs the restore tool; rejects with its output if it fails. */
export async function restore(dataDir: string, file: string): Promise<void> {
  const child = spawn(process.execPath, [...nodeFlags, program('restore.js'), file], {
    env: environment({ DATA_DIR: dataDir }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the restore failed: ${stderr}`)
}
