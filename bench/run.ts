/**
 * Measures Promptdeck (`npm run bench`). Options: `--only <group>`, `--quick`, `--large`, `--compare <file>`, `--profile`,
 * `--lighthouse <folder>`. Writes `bench/results.json` and the tables of `docs/performance.md`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, showGoal, showMedian, showSpread } from './frame/figure.ts'
import { flameGraph, topFunctions } from './frame/flame.ts'
import type { Bench, Group } from './frame/group.ts'
import { readOptions } from './frame/options.ts'
import { createProcesses, type Process } from './frame/processes.ts'
import {
  compare,
  describeRun,
  type GroupResults,
  readResults,
  replaceFigures,
  toMarkdown,
  writeResults,
} from './frame/report.ts'
import { checkpoint } from './groups/checkpoint.ts'
import { consolePages } from './groups/console.ts'
import { engines } from './groups/engines/engines.ts'
import { gateway } from './groups/gateway.ts'
import { growth } from './groups/growth/growth.ts'
import { live } from './groups/live.ts'
import { mixed } from './groups/mixed.ts'
import { reads } from './groups/reads.ts'
import { signIn } from './groups/sign-in.ts'
import { writes } from './groups/writes.ts'

const groups: readonly Group[] = [
  reads,
  writes,
  checkpoint,
  live,
  signIn,
  gateway,
  growth,
  mixed,
  consolePages,
  engines,
]

const root = join(import.meta.dirname, '../..')
const resultsFile = join(root, 'bench/results.json')
const documentFile = join(root, 'docs/performance.md')
const profileFolder = join(root, 'bench/profiles')

const options = readOptions(
  process.argv.slice(2),
  groups.map(({ name }) => name),
)

/** Profiles the work, writes the profile, and prints the functions with most of the processor time. */
async function profile(
  group: string,
  target: Process,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const found = await target.profile(work)
  mkdirSync(profileFolder, { recursive: true })
  const file = join(profileFolder, `${group}-${name.replaceAll(/[^\w]+/g, '-')}`)
  writeFileSync(`${file}.svg`, flameGraph(found, `${group}: ${name}`))
  writeFileSync(`${file}.cpuprofile`, JSON.stringify(found))
  const top = topFunctions(found, 2).map(({ name: at, share }) => `${(share * 100).toFixed(0)} % ${at}`)
  console.log(`  profile of ${name}: ${top.join(', ')}`)
}

const print = (figure: Figure): void =>
  console.log(
    `  ${figure.name} (${figure.against}): ${showMedian(figure)} [${showSpread(figure)}] ${showGoal(figure)} ${figure.detail ?? ''}`.trimEnd(),
  )

async function run({ name, measure }: Group): Promise<GroupResults> {
  console.log(name)
  const description = describeRun(options.isQuick)
  const processes = createProcesses()
  const figures: Figure[] = []
  const bench: Bench = {
    isQuick: options.isQuick,
    isLarge: options.isLarge,
    rounds: options.isQuick ? 3 : 5,
    lighthouse: options.lighthouse,
    processes,
    note: (text) => console.log(`  ${text}`),
    add(figure) {
      figures.push(figure)
      print(figure)
    },
    async profiled(target, part, work) {
      if (options.profiles) await profile(name, target, part, work)
    },
  }
  const startedAt = performance.now()
  try {
    await measure(bench)
  } finally {
    await processes.stop()
  }
  console.log(`  ${name} took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  return { ...description, figures }
}

// Read first: the earlier results may be the file that this run writes.
const earlier = options.compareWith === null ? null : readResults(options.compareWith)
const results: Record<string, GroupResults> = {}
for (const group of groups) {
  if (options.only !== null && !options.only.includes(group.name)) continue
  results[group.name] = await run(group)
  const all = writeResults(resultsFile, results)
  writeFileSync(documentFile, replaceFigures(readFileSync(documentFile, 'utf8'), toMarkdown(all)))
}
if (earlier !== null) console.log(['', ...compare(earlier, results)].join('\n'))
