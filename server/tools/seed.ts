import { parseArgs } from 'node:util'
import cliProgress from 'cli-progress'
import { compose } from '../compose/compose.ts'
import { type ComposeDeps, systemDeps } from '../compose/deps.ts'
import { readConfig } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { type Actor, systemContext } from '../lib/context.ts'
import { newUuid } from '../lib/ids.ts'
import { createLogger } from '../lib/logger.ts'
import { messageOf } from '../lib/text/message-of.ts'
import { UsageError } from './command/io/failure.ts'
import { runTool } from './lib/arguments.ts'
import { seedUsers, seedWorkspaces } from './seed-data.ts'
import { seedPrompts } from './seed-prompts.ts'
import { seedRuns } from './seed-runs.ts'
import { seedWorkflows } from './seed-workflows.ts'

const usage = `Usage: npm run seed -- [--runs 10000] [--days 90] [--captured 0] [--data <folder>]
Fills a data folder (DATA_DIR unless given) with plausible users, workspaces, prompts, agents, workflows, audit entries and runs.
The newest --captured runs get input and output, for which capture is set to redacted. Other existing data is not changed. No service may use the folder at the same time.`

/** The password of every user created here. */
const password = 'a sample for trying out'
const maxRuns = 20_000_000

type Composed = Awaited<ReturnType<typeof compose>>

function readArguments(args: readonly string[]) {
  const options = {
    runs: { type: 'string' },
    days: { type: 'string' },
    captured: { type: 'string' },
    data: { type: 'string' },
    'data-dir': { type: 'string' },
  } as const
  let values: { runs?: string; days?: string; captured?: string; data?: string; 'data-dir'?: string }
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n\n${usage}`)
  }
  const whole = (name: 'runs' | 'days' | 'captured', defaultValue: number, max: number): number => {
    const text = values[name] ?? String(defaultValue)
    const number = Number(text)
    const min = name === 'captured' ? 0 : 1
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new UsageError(`--${name} must be a whole number from ${min} to ${max}\n\n${usage}`)
    return number
  }
  const count = whole('runs', 10_000, maxRuns)
  return {
    count,
    days: whole('days', 90, 3650),
    captured: whole('captured', 0, count),
    folder: values.data ?? values['data-dir'],
  }
}

const contextOf = (actor?: Actor) => {
  const ctx = systemContext(systemClock.now(), `seed_${newUuid()}`)
  return actor === undefined ? ctx : { ...ctx, actor }
}

/**
 * Creates the users and workspaces of the runs. Uses the services, so that each creation is in the audit log.
 */
async function seedAccounts({ services }: Composed): Promise<Actor[]> {
  const ctx = systemContext(systemClock.now(), `seed_${newUuid()}`)
  const actors: Actor[] = []
  for (const { username, role } of seedUsers) {
    const found = (await services.users.list(ctx, { limit: 200, q: username })).data
    const user =
      found.find((existing) => existing.username === username) ??
      (await services.users.create(ctx, { username, password, role }))
    actors.push({ kind: 'user', id: user.id, name: user.username, role: user.role, sessionId: null })
  }
  const { data } = await services.workspaces.list(ctx, { limit: 200 })
  for (const [index, workspace] of seedWorkspaces.entries()) {
    if (data.some(({ slug }) => slug === workspace.slug)) continue
    const actor = actors[index % 4]
    await services.workspaces.create(actor === undefined ? ctx : { ...ctx, actor }, workspace)
  }
  return actors
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(`${usage}\n`)
    return
  }
  const { count, days, captured, folder } = readArguments(args)
  const config = readConfig({ ...process.env, LOG_LEVEL: 'error', ...(folder && { DATA_DIR: folder }) })
  const deps: ComposeDeps = {
    ...systemDeps,
    logger: createLogger(config),
    // Sample data needs no background tasks, such as checks of providers.
    every: () => () => {},
    onFatal: (error) => {
      process.stderr.write(`The store failed: ${error.message}\n`)
      process.exit(1)
    },
  }
  const service = await compose(config, deps)
  const startMs = performance.now()
  try {
    const { services } = service
    const { runRetentionDays } = services.settings.current()
    if (days > runRetentionDays)
      throw new UsageError(
        `This service keeps runs for ${runRetentionDays} days, so --days can be at most ${runRetentionDays}.`,
      )
    if (captured > 0) await services.settings.update(contextOf(), { capture: 'redacted' })
    const actors = await seedAccounts(service)
    await seedPrompts(services.prompts, contextOf, actors)
    await seedWorkflows(services, contextOf, actors)
    const bar = new cliProgress.SingleBar(
      { format: 'runs {bar} {percentage}% · {value} of {total} · {eta_formatted} left', etaBuffer: 50 },
      cliProgress.Presets.shades_classic,
    )
    bar.start(count, 0)
    try {
      const now = systemClock.now()
      const onProgress = (done: number) => bar.update(done)
      await seedRuns(services.runs, { count, days, now, actors, captured, onProgress })
      await services.runs.maintain()
    } finally {
      bar.stop()
    }
  } finally {
    await service.closeSockets()
    await service.close()
  }
  const seconds = Math.round((performance.now() - startMs) / 1000)
  process.stdout.write(
    `${count} runs over ${days} days in ${config.dataDir} (${seconds} s). Sign in as admin, or as ${seedUsers
      .slice(0, 3)
      .map(({ username }) => username)
      .join(', ')} … with "${password}".\n`,
  )
}

await runTool(main)
