import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Bench } from '../frame/group.ts'

// A script is not compiled, so it stays in the sources.
const script = join(import.meta.dirname, '../../../test/lighthouse/run.mjs')
const routes = ['/', '/runs/{-$id}', '/playground', '/prompts/$id', '/agents/$id', '/statistics', '/settings']
const goal = 97

/** Adds the performance score of each page by Lighthouse, if `--lighthouse` names its folder. */
export async function measureLighthouse(bench: Bench): Promise<void> {
  if (bench.lighthouse === null) {
    bench.note('Lighthouse is not measured: name the folder that contains it with --lighthouse.')
    return
  }
  const output = await scoresFrom(bench.lighthouse)
  for (const route of routes) {
    const score = output
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
      .find(([name]) => name === route)?.[1]
    if (score === undefined) throw new Error(`Lighthouse did not measure ${route}:\n${output}`)
    bench.add({
      name: `performance score of ${route}`,
      against: 'Lighthouse, desktop',
      unit: 'points',
      better: 'higher',
      values: [Number(score)],
      goal,
    })
  }
}

/** Returns the printed table. The exit code is ignored, because the script also fails if other categories score low. */
function scoresFrom(folder: string): Promise<string> {
  const args = [script, '--from', folder, '--only', routes.join(',')]
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr))
  })
}
