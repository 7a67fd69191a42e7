import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Runs a harness like its npm script; resolves with its counts and messages. */
async function run(file: string, args: readonly string[]) {
  const script = fileURLToPath(new URL(`../harness/${file}`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await once(child, 'close')
  const reported = stderr.split('\n').filter((line) => line.startsWith('VIOLATION'))
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`it ended without counts: ${stderr}`)
  return { counts: JSON.parse(line), reported }
}

test('no possible state after a power loss lacks acknowledged data; an fsync without effect is detected', {
  timeout: 180_000,
}, async () => {
  const { counts, reported } = await run('powerloss/run.mjs', ['--states', '60', '--rounds', '4'])
  expect(reported).toEqual([])
  expect(counts).toMatchObject({ violations: 0 })
  expect(counts.states).toBeGreaterThanOrEqual(60)
  expect(counts.control).toBeGreaterThan(0)
})

test('a failing file call or a damaged file loses no data, and the message names a remedy', {
  timeout: 180_000,
}, async () => {
  const { counts, reported } = await run('faults/all.mjs', ['--runs', '8'])
  expect(reported).toEqual([])
  expect(counts.faults).toMatchObject({ injected: 8, violations: 0 })
  expect(counts.damage).toMatchObject({ runs: 8, violations: 0 })
})
