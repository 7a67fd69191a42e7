import type { Clock } from '../../../lib/clock.ts'
import { withRemedy } from '../../../lib/files/remedy.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { StoreError } from '../../errors.ts'
import { createJournal, type Journal } from './journal/journal.ts'
import type { JournalThread } from './journal/journal-thread.ts'
import { createSegmentAllocator } from './journal/segment-allocator.ts'
import type { Lock } from './lock/lock.ts'
import type { RecordGuard } from './record/guard.ts'
import type { LoadedStore } from './recovery/load-store.ts'
import { type Checkpoints, createCheckpoints } from './snapshot/checkpoints.ts'
import { createSpace, type Space } from './space/space.ts'
import type { Engine } from './sqlite/engine.ts'
import type { StoreOptions, StoreTuning } from './store-options.ts'
import { createTransactions, type Transactions } from './transactions/transactions.ts'

type StoreInputs = {
  readonly options: StoreOptions
  readonly tuning: StoreTuning
  readonly clock: Clock
  readonly lock: Lock
  readonly guard: RecordGuard
  readonly thread: JournalThread
  readonly loaded: LoadedStore
}

/** The state of the store. It leaves `open` once. */
export type Lifecycle = {
  state: 'open' | 'failed' | 'closed'
  /** Makes all later writes fail. Undefined until the store accepts transactions. */
  stopWrites: ((failure: Error) => void) | undefined
}

export type StoreParts = StoreInputs & {
  readonly lifecycle: Lifecycle
  readonly engine: Engine
  readonly space: Space
  readonly journal: Journal
  readonly transactions: Transactions
  readonly checkpoints: Checkpoints
}

/** Creates the parts of a store and starts its journal. Throws a `StoreError` if the journal does not start. */
export async function createParts(inputs: StoreInputs): Promise<StoreParts> {
  const { options, tuning, lock, loaded } = inputs
  const { engine } = loaded
  const lifecycle: Lifecycle = { state: 'open', stopWrites: undefined }
  const onFatal = (error: Error): void => failStore(lifecycle, options, error)
  const { space, journal } = await startJournal(inputs, onFatal)
  const transactions = createTransactions({
    engine,
    journal,
    limitBytes: options.maxStoreBytes,
    isDiskFull: () => space.fullSince() !== null,
    hasSpace: () => space.hasSpace(),
    transactionTimeoutMs: tuning.transactionTimeoutMs,
    logger: options.logger,
    onFatal,
  })
  lifecycle.stopWrites = transactions.stop
  const checkpoints = createCheckpoints({
    folder: options.folder,
    generation: loaded.generation,
    backlog: loaded.replayed,
    database: engine.database,
    journal,
    transactions,
    limits: { journalBytes: tuning.journalBytes, journalTransactions: tuning.journalTransactions },
    limitBytes: options.maxStoreBytes,
    clock: inputs.clock,
    logger: options.logger,
    fence: lock.fence,
  })
  lock.onLost(onFatal)
  return { ...inputs, lifecycle, engine, space, journal, transactions, checkpoints }
}

function failStore(lifecycle: Lifecycle, { logger, onFatal }: StoreOptions, error: Error): void {
  if (lifecycle.state !== 'open') return
  lifecycle.state = 'failed'
  // The journal did not start. `createJournal` rejects with the reason.
  if (lifecycle.stopWrites === undefined) return
  lifecycle.stopWrites(error)
  logger.error(
    { reason: messageOf(error) },
    'the store failed and rejects all writes; the next start reads the disk',
  )
  onFatal?.(error)
}

async function startJournal(
  { options, tuning, clock, lock, guard, thread, loaded }: StoreInputs,
  onFailed: (error: Error) => void,
): Promise<Pick<StoreParts, 'space' | 'journal'>> {
  const { folder, dataDir, logger } = options
  const { segmentBytes } = tuning
  const { fence } = lock
  const { engine, transaction, closed } = loaded
  const allocator = createSegmentAllocator({
    folder,
    firstSequence: loaded.nextSequence,
    segmentBytes,
    fence,
    dataDir,
    onFull: (error) => space.noteFull(error),
    isFull: () => space.fullSince() !== null,
  })
  const makeSegment = (): Promise<void> => allocator.ready()
  const space = createSpace({ folder, dataDir, segmentBytes, makeSegment, clock, logger })
  try {
    const record = guard.begin(transaction)
    const journal = await createJournal({ thread, allocator, transaction, closed, record, onFailed })
    return { space, journal }
  } catch (error) {
    engine.close()
    await space.close()
    const message = `The journal in ${folder} cannot be started: ${messageOf(error)}`
    throw new StoreError('unreadable', withRemedy(message, error), { cause: error })
  }
}
