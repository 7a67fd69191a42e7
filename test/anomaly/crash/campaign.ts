import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../../contract/client.ts'
import { createRandom } from '../../../server/tools/seed-data.ts'
import { type ServiceProcess, spawnService } from '../../support/process.ts'
import { serviceToken } from '../../support/service.ts'
import { checkAudit } from './audit.ts'
import { killAfter, restore } from './kills.ts'
import { createLedger, type Entry, type Ledger, type Reader, settle } from './ledger.ts'
import { startLoad } from './load.ts'
import { createReaders } from './resources.ts'
import { checkRuns, type KnownRun } from './runs.ts'
import { createWatcher } from './watcher.ts'

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

const startEvery = 5
const restoreEvery = 10

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
  const ledger = createLedger()
  const watcher = createWatcher()
  const figures: CrashFigures = {
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
  let runs = new Map<number, KnownRun>()
  let backup: Backup | null = null
  let service: ServiceProcess | null = null

  const start = async () => {
    service = await spawnService({ DATA_DIR: dataDir, JOURNAL_MB: '1' })
    const replies = createReplyCounter()
    const api = createClient({ baseUrl: service.url, token: () => serviceToken, fetch: replies.fetch })
    return { service, api, replies }
  }
  type Api = Awaited<ReturnType<typeof start>>['api']

  /** Makes a backup under load: data acknowledged before its request must be in it. */
  const takeBackup = async (api: Api): Promise<void> => {
    const copy = ledger.copy()
    const runsBefore = new Map(runs)
    const { data } = await api.backups.create({})
    copy.close()
    if (!data.verified) figures.violations.push(`backup ${data.id} is not verified`)
    figures.backups += 1
    backup = {
      file: join(dataDir, 'backups', `${data.id}.sqlite`),
      entries: copy.entries,
      runs: runsBefore,
    }
  }

  const oneRound = async (round: number): Promise<void> => {
    const { service: running, api, replies } = await start()
    const readers = createReaders(api)
    if (round === 0) await addSingletons(ledger, readers)
    figures.violations.push(...(await settle(ledger, readers, ledger.touched)))
    await watcher.connect(running.url)
    await watcher.complete()
    let isOver = false
    let failure: unknown = null
    const load = startLoad({
      api,
      ledger,
      runs,
      random,
      round,
      isOver: () => isOver,
      onPublished: watcher.expect,
    }).catch((error: unknown) => {
      failure = error
      return 0
    })
    // Every third round has a backup in progress; in half of those it completes before the kill.
    const backingUp = round % 3 === 0 ? takeBackup(api).catch(ignoreLostReply) : Promise.resolve()
    if (round % 6 === 3) await backingUp
    // The moment depends on replies, not on time, so that slow and fast machines are tested equally.
    await replies.reached(20 + Math.floor(random() * 150))
    await delay(random() * 10)
    await running.kill()
    isOver = true
    service = null
    figures.kills += 1
    figures.unanswered += await load
    await backingUp
    if (failure !== null) throw failure
  }

  const restoreRound = async ({ file, entries, runs: before }: Backup): Promise<void> => {
    // The kill leaves the store unchanged or restored; the following restore completes either.
    if (await killAfter('server/tools/restore.js', [file], dataDir, random() * 400)) {
      figures.kills += 1
      figures.killsWhileRestoring += 1
    }
    await restore(dataDir, file)
    figures.restores += 1
    ledger.replace(entries)
    runs = new Map(before)
    watcher.reset()
  }

  try {
    for (let round = 0; figures.kills < options.kills; round++) {
      await oneRound(round)
      if (round % startEvery === 2 && (await killAfter('server/cli.js', [], dataDir, random() * 700))) {
        figures.kills += 1
        figures.killsWhileStarting += 1
      }
      if (round % restoreEvery === 7 && backup !== null) await restoreRound(backup)
    }
    const { service: last, api } = await start()
    figures.violations.push(...(await settle(ledger, createReaders(api), ledger.entries.keys())))
    figures.violations.push(...(await checkRuns(api, runs)), ...(await checkAudit(api, ledger)))
    await watcher.connect(last.url)
    await watcher.complete()
    const { data: chain } = await api.audit.verify({})
    if (!chain.ok) figures.violations.push(`the audit chain: ${chain.reason}`)
    await takeBackup(api)
    watcher.close()
    const code = await last.stop()
    service = null
    if (code !== 0) figures.violations.push(`the service stopped with exit code ${code}`)
    const { frames, reversed } = watcher.counts()
    if (reversed > 0) figures.violations.push(`${reversed} frames had a smaller seq than the frame before`)
    return { ...figures, runs: runs.size, resources: ledger.entries.size, frames }
  } finally {
    watcher.close()
    await (service as ServiceProcess | null)?.kill()
  }
}

/** Returns a `fetch` that counts replies; `reached` resolves when `count` more have arrived. */
function createReplyCounter() {
  let left = Number.POSITIVE_INFINITY
  let reach: () => void = () => undefined
  return {
    fetch: async (...request: Parameters<typeof fetch>) => {
      const reply = await fetch(...request)
      left -= 1
      if (left <= 0) reach()
      return reply
    },
    reached(count: number): Promise<void> {
      left = count
      return new Promise((resolve) => {
        reach = resolve
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
