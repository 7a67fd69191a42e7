import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSendQueue, type MissedFrames } from '../../../server/live/frames/send-queue.ts'
import { type Frame, published } from './live-support.ts'
import { change, forConsoles, numbers, sorted } from './order-support.ts'

type Step =
  | { readonly kind: 'change' | 'transient' | 'otherAudience' | 'accept' | 'restart' }
  | { readonly kind: 'pause'; readonly microtasks: number }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('transient' as const, 'otherAudience' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('accept' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pause' as const), microtasks: fc.nat(3) }) },
)

type Feed = {
  readonly since: number | null
  readonly sent: Frame[]
  readonly sendQueue: ReturnType<typeof createSendQueue>
  /** Sequence numbers of the changes for consoles, including those before the start. */
  readonly consoleSeqs: number[]
  /** Number of the newest change, for consoles or not. */
  seq: number
  /** Callbacks of the frames that the peer has not accepted yet. */
  pendingWrites: (() => void)[]
}

function createFeed(start: number, since: number | null): Feed {
  const consoleSeqs = Array.from({ length: start }, (_, index) => index + 1)
  const peer: Omit<Feed, 'sendQueue'> = { since, sent: [], consoleSeqs, seq: start, pendingWrites: [] }
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string, done?: () => void) => {
      peer.sent.push(JSON.parse(text))
      if (done) peer.pendingWrites.push(done)
    },
  }
  const sendQueue = createSendQueue({
    socket: socket as never,
    maxBufferedBytes: 1 << 20,
    isInAudience: ({ namespace }) => namespace === null,
    isUnsupported: () => false,
    currentSeq: () => peer.seq,
    onTooSlow: () => undefined,
  })
  // The same object: its functions read the current members.
  return Object.assign(peer, { sendQueue })
}

/** Accepts all frames that the peer has not accepted yet. */
function acceptAll(feed: Feed): void {
  const callbacks = feed.pendingWrites
  feed.pendingWrites = []
  for (const done of callbacks) done()
}

const apply: Record<Exclude<Step['kind'], 'pause'>, (feed: Feed) => void> = {
  accept: acceptAll,
  restart: ({ sendQueue, since }) => sendQueue.restartFrom(since, false),
  otherAudience(feed) {
    feed.seq += 1
    const frame = published(feed.seq)
    feed.sendQueue.push({ frame, namespace: 'prod', workspaceId: 'default', workspaceIds: new Set() }, '{}')
  },
  transient({ sendQueue, seq }) {
    const frame = { type: 'changed', seq, entity: 'run', id: null } as const
    sendQueue.push(
      { frame, namespace: null, workspaceId: null, workspaceIds: new Set(), isTransient: true },
      JSON.stringify(frame),
    )
  },
  change(feed) {
    feed.seq += 1
    feed.consoleSeqs.push(feed.seq)
    feed.sendQueue.push(forConsoles(feed.seq), JSON.stringify(change(feed.seq)))
  },
}

async function applyAll(feed: Feed, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind !== 'pause') apply[step.kind](feed)
    else for (let i = 0; i < step.microtasks; i += 1) await Promise.resolve()
  }
}

/** Returns the replay of what the peer missed; null if it asked for none. */
function missedBy({ since, seq, consoleSeqs }: Feed): MissedFrames | null {
  if (since === null) return null
  if (since > seq) return { kind: 'resync', seq }
  return { kind: 'frames', frames: consoleSeqs.filter((number) => number > since).map(forConsoles) }
}

/** Sends a last change, and accepts frames until it arrives. */
async function finish(feed: Feed) {
  feed.seq += 1
  const last = { type: 'changed', seq: feed.seq, entity: 'user', id: 'last' } as const
  feed.sendQueue.push(
    { frame: last, namespace: null, workspaceId: null, workspaceIds: new Set() },
    JSON.stringify(last),
  )
  for (let i = 0; i < 500 && feed.sent.at(-1)?.id !== 'last'; i += 1) {
    acceptAll(feed)
    await Promise.resolve()
  }
  acceptAll(feed)
  return last
}

/** Returns true if a frame sends the change with number `seq`, or makes the client fetch it. */
const covers = (frame: Frame, seq: number): boolean =>
  frame.type !== 'hello' &&
  frame.seq >= seq &&
  (frame.type === 'resync' || (frame.entity === 'prompt' && (frame.id === null || frame.seq === seq)))

describe('a send queue', () => {
  it('sends increasing numbers, and every change or a resync after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(20),
        fc.option(fc.nat(25)),
        fc.array(anyStep, { maxLength: 60 }),
        fc.array(anyStep, { maxLength: 60 }),
        async (start, since, whileQueued, after) => {
          const feed = createFeed(start, since)
          const { sent, sendQueue, consoleSeqs } = feed
          const from = sendQueue.startFrom(since)
          sent.push({ type: 'hello', seq: from })
          await applyAll(
            feed,
            whileQueued.filter(({ kind }) => kind !== 'restart'),
          )
          const released = sendQueue.release(missedBy(feed))
          await applyAll(feed, after)
          const last = await finish(feed)
          await released
          const order = numbers(sent)
          expect(order).toEqual(sorted(order))
          expect(sent.at(-1)).toEqual(last)
          const isCovered = (number: number) => sent.some((frame) => covers(frame, number))
          expect(consoleSeqs.filter((number) => number > from && !isCovered(number))).toEqual([])
        },
      ),
      { numRuns: 400 },
    )
  })
})
