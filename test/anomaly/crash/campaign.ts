import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../../contract/client.ts'
import { createRandom } from '../../../server/tools/seed-data.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'
import { checkAudit } from './audit.ts'
import { killAfter, restore } from './kills.ts'
import { createLedger, type Entry, type Ledger, type Reader, reconcile } from './ledger.ts'
import { startLoad } from './load.ts'
import { createReaders } from './resources.ts'
import { checkRuns, type KnownRun } from './runs.ts'
import { createWatcher, type Watcher } from './watcher.ts'
import { within } from './within.ts'

export type CrashFigures = {
  kills: number
  killsWhileStarting: number
  killsWhileRestoring: number
  restores: number
  backups: number
  runs: number
  resources: number
  frames: number
  unanswered: number
  violations: string[]
}

/** A verified backup, and the data that a store restored from it must contain. */
type Backup = {
  readonly file: string
  readonly entries: Map<string, Entry>
  readonly runs: Map<number, KnownRun>
}

/** Number of rounds between two kills during a start, and between two restores. */
const startKillRounds = 5
const restoreRounds = 10

type Campaign = {
  readonly dataDir: string
  readonly random: () => number
  readonly ledger: Ledger
  readonly watcher: Watcher
  readonly figures: CrashFigures
  /** Acknowledged runs by id. */
  runs: Map<number, KnownRun>
  backup: Backup | null
  service: ServiceProcess | null
}

function createFigures(): CrashFigures {
  return {
    kills: 0,
    killsWhileStarting: 0,
    killsWhileRestoring: 0,
    restores: 0,
    backups: 0,
    runs: 0,
    resources: 0,
    frames: 0,
    unanswered: 0,
    violations: [],
  }
}

/**
 * Kills the service `kills` times under load, while it starts and while it restores. After each start, every
 * resource that the load touched must be in an acknowledged state. At the end, every acknowledged run, frame
 * and audit entry must exist. The same seed gives the same moments.
 */
export async function runCampaign(
  dataDir: string,
  options: { readonly kills: number; readonly seed: number },
): Promise<CrashFigures> {
  const random = createRandom(options.seed)
  const figures = createFigures()
  const campaign: Campaign = {
    dataDir,
    random,
    ledger: createLedger(),
    watcher: createWatcher(),
    figures,
    runs: new Map(),
    backup: null,
    service: null,
  }
  try {
    for (let round = 0; figures.kills < options.kills; round++) {
      await loadAndKill(campaign, round)
      if (round % startKillRounds === 2 && (await killAfter('cli.js', [], dataDir, random() * 700))) {
        figures.kills += 1
        figures.killsWhileStarting += 1
      }
      if (round % restoreRounds === 7 && campaign.backup !== null)
        await killAndRestore(campaign, campaign.backup)
    }
    return await checkEverything(campaign)
  } finally {
    campaign.watcher.close()
    await campaign.service?.kill()
  }
}

async function start(campaign: Campaign) {
  const service = await within(
    spawnService({ DATA_DIR: campaign.dataDir, JOURNAL_MB: '1' }),
    'the start of the service',
  )
  campaign.service = service
  const replies = createReplyCounter()
  const api = createClient({ baseUrl: service.url, token: () => serviceToken, fetch: replies.fetch })
  return { service, api, replies }
}
type Api = Awaited<ReturnType<typeof start>>['api']

/** Makes a backup under load: data acknowledged before its request must be in it. */
async function takeBackup(campaign: Campaign, api: Api): Promise<void> {
  const { ledger, figures, dataDir } = campaign
  const copy = ledger.copy()
  const runs = new Map(campaign.runs)
  const { data } = await api.backups.create({})
  copy.close()
  if (!data.verified) figures.violations.push(`backup ${data.id} is not verified`)
  figures.backups += 1
  campaign.backup = { file: join(dataDir, 'backups', `${data.id}.sqlite`), entries: copy.entries, runs }
}

async function loadAndKill(campaign: Campaign, round: number): Promise<void> {
  const { ledger, watcher, figures, random } = campaign
  const { service, api, replies } = await start(campaign)
  const readers = createReaders(api)
  if (round === 0) await addSingletons(ledger, readers)
  figures.violations.push(
    ...(await within(reconcile(ledger, readers, ledger.touched), 'the resources after a start')),
  )
  await within(watcher.connect(service.url), 'a live connection')
  await within(watcher.complete(), 'the missed frames')
  let isOver = false
  let failure: unknown = null
  const load = startLoad({
    api,
    ledger,
    runs: campaign.runs,
    random,
    round,
    isOver: () => isOver,
    onPublished: watcher.expect,
  }).catch((error: unknown) => {
    failure = error
    return 0
  })
  // Every third round has a backup in progress; in half of those it completes before the kill.
  const backingUp = round % 3 === 0 ? takeBackup(campaign, api).catch(ignoreLostReply) : Promise.resolve()
  if (round % 6 === 3) await within(backingUp, 'a backup')
  // The moment depends on replies, not on time, so that slow and fast machines are tested equally.
  // Load that fails sends nothing more.
  const reached = Promise.race([replies.reached(20 + Math.floor(random() * 150)), load])
  await within(reached, 'replies to the load')
  await delay(random() * 10)
  await service.kill()
  if (service.child.signalCode !== 'SIGKILL')
    throw new Error(`the service ended by itself: ${service.stderr()}`)
  isOver = true
  campaign.service = null
  figures.kills += 1
  figures.unanswered += await within(load, 'the load after the kill')
  await within(backingUp, 'the backup after the kill')
  if (failure !== null) throw failure
}

async function killAndRestore(campaign: Campaign, { file, entries, runs }: Backup): Promise<void> {
  const { dataDir, random, figures, ledger, watcher } = campaign
  // The kill leaves the store unchanged or restored; the following restore completes either.
  if (await killAfter('restore.js', [file], dataDir, random() * 400)) {
    figures.kills += 1
    figures.killsWhileRestoring += 1
  }
  await restore(dataDir, file)
  figures.restores += 1
  ledger.replace(entries)
  campaign.runs = new Map(runs)
  watcher.reset()
}

/** Starts the service a last time, and compares all of its data. */
async function checkEverything(campaign: Campaign): Promise<CrashFigures> {
  const { ledger, watcher, figures, runs } = campaign
  const { service, api } = await start(campaign)
  figures.violations.push(...(await reconcile(ledger, createReaders(api), ledger.entries.keys())))
  figures.violations.push(...(await checkRuns(api, runs)), ...(await checkAudit(api, ledger)))
  await within(watcher.connect(service.url), 'a live connection')
  await within(watcher.complete(), 'the missed frames')
  const { data: chain } = await api.audit.verify({})
  if (!chain.ok) figures.violations.push(`the audit chain: ${chain.reason}`)
  await takeBackup(campaign, api)
  watcher.close()
  const code = await service.stop()
  campaign.service = null
  if (code !== 0) figures.violations.push(`the service stopped with exit code ${code}`)
  const { frames, reversed } = watcher.counts()
  if (reversed > 0) figures.violations.push(`${reversed} frames had a smaller seq than the frame before`)
  return { ...figures, runs: runs.size, resources: ledger.entries.size, frames }
}

/** Returns a `fetch` that counts replies; `reached` resolves when `count` more have arrived. */
function createReplyCounter() {
  let remaining = Number.POSITIVE_INFINITY
  let resolveReached: () => void = () => undefined
  return {
    fetch: async (...request: Parameters<typeof fetch>) => {
      const reply = await fetch(...request)
      remaining -= 1
      if (remaining <= 0) resolveReached()
      return reply
    },
    reached(count: number): Promise<void> {
      remaining = count
      return new Promise((resolve) => {
        resolveReached = resolve
      })
    },
  }
}

/** Adds resources that exist from the start. */
async function addSingletons(ledger: Ledger, readers: Readonly<Record<string, Reader>>): Promise<void> {
  for (const key of ['setting:all', 'provider:ollama']) {
    const [kind = '', id = ''] = key.split(':')
    const state = await readers[kind]?.(id)
    if (state !== undefined) ledger.created(key, state)
  }
}

/** Ignores the error of a request that the kill cut off, because it proves nothing. */
function ignoreLostReply(error: unknown): void {
  if (!(error instanceof Error && 'status' in error && error.status === 0)) throw error
}
