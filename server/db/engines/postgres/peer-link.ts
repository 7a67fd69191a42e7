import { Client, type Pool } from 'pg'
import { messageOf } from '../../../lib/text/message-of.ts'
import type { PeerLink } from '../../peer-link.ts'
import type { StoreLogger } from '../../types.ts'
import { types } from './values.ts'

const channel = 'promptdeck_events'
/** Key of the advisory lock of the leader. The number has no meaning but must never change. */
const leaderLock = 7_046_930_003
/** Key of the advisory lock that every process shares while it is connected. */
export const presenceLock = 7_046_930_004
/** Interval of reads that need no notification, in milliseconds. */
const tickMs = 1_000
/** Time limit to connect, and of a statement on the connection, in milliseconds. */
const limitMs = 5_000

export type PeerLinkOptions = { readonly url: string; readonly pool: Pool; readonly logger: StoreLogger }

type State = PeerLinkOptions & {
  onWake: (payload: string | null) => void
  /** The connection that listens and holds the leader's lock. Null while there is none. */
  client: Client | null
  connecting: Promise<void> | null
  checking: Promise<void> | null
  isLeader: boolean
  /** Null until the first connection. */
  wasAlone: boolean | null
  isClosed: boolean
  /** Why the last attempt to connect failed; null: it did not. */
  failure: string | null
  timer: NodeJS.Timeout | null
  /** The payload to send next; null if none. */
  pending: string | null
  sending: Promise<void> | null
}

/**
 * Creates the link over a connection of its own, because a pooler in transaction mode drops LISTEN and locks
 * of a session.
 */
export function createPeerLink(options: PeerLinkOptions): PeerLink {
  const state: State = {
    ...options,
    onWake: () => {},
    client: null,
    connecting: null,
    checking: null,
    isLeader: false,
    wasAlone: null,
    isClosed: false,
    failure: null,
    timer: null,
    pending: null,
    sending: null,
  }
  return {
    async start(onWake) {
      state.onWake = onWake
      state.timer = setInterval(() => tick(state), tickMs)
      state.timer.unref()
      await ensureConnected(state)
    },
    notify(payload) {
      state.pending = payload
      state.sending ??= sendPending(state).finally(() => {
        state.sending = null
      })
    },
    wasAlone: () => state.wasAlone === true,
    isLeader: () => state.isLeader,
    async close() {
      state.isClosed = true
      if (state.timer !== null) clearInterval(state.timer)
      await Promise.all([state.connecting, state.checking, state.sending])
      const { client } = state
      reset(state)
      await client?.end()
    },
  }
}

function tick(state: State): void {
  state.onWake(null)
  if (state.client === null) void ensureConnected(state)
  else {
    state.checking ??= check(state, state.client).finally(() => {
      state.checking = null
    })
  }
}

function ensureConnected(state: State): Promise<void> {
  state.connecting ??= connect(state).finally(() => {
    state.connecting = null
  })
  return state.connecting
}

async function connect(state: State): Promise<void> {
  if (state.isClosed) return
  const client = new Client({
    connectionString: state.url,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    keepAlive: true,
    application_name: 'promptdeck events',
    types,
  })
  const onLost = (error?: Error): void => {
    if (state.client !== client) return
    reset(state)
    state.logger.warn(
      { reason: error === undefined ? 'closed' : messageOf(error) },
      'lost the connection for events of other instances; reconnecting',
    )
  }
  client.on('error', onLost)
  client.on('end', () => onLost())
  client.on('notification', ({ payload = '' }) => state.onWake(payload))
  try {
    await client.connect()
    await client.query(`LISTEN ${channel}`)
    const isAlone = await enter(client)
    state.wasAlone ??= isAlone
    state.client = client
    state.failure = null
    await check(state, client)
    // Events may have been announced before LISTEN.
    state.onWake(null)
  } catch (error) {
    // The next tick tries again. Ticks also read, so events arrive without a connection.
    const reason = messageOf(error)
    // Once: a standby never accepts LISTEN.
    if (reason !== state.failure) state.logger.warn({ reason }, 'no connection for events of other instances')
    state.failure = reason
    client.end().catch(() => {})
  }
}

/** Takes the lock of all connected processes. Returns true if no other one had it. */
async function enter(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ is_alone: number }>(
    `SELECT pg_try_advisory_lock(${presenceLock}) AS is_alone`,
  )
  const isAlone = rows[0]?.is_alone === 1
  await client.query(`SELECT pg_advisory_lock_shared(${presenceLock})`)
  if (isAlone) await client.query(`SELECT pg_advisory_unlock(${presenceLock})`)
  return isAlone
}

/** Detects a dead connection, and makes this instance the leader if there is none. */
async function check(state: State, client: Client): Promise<void> {
  try {
    if (state.isLeader) {
      await client.query('SELECT 1')
      return
    }
    const { rows } = await client.query<{ is_leader: number }>(
      `SELECT pg_try_advisory_lock(${leaderLock}) AS is_leader`,
    )
    if (state.client !== client || rows[0]?.is_leader !== 1) return
    state.isLeader = true
    state.logger.info({}, 'this instance is the leader: it runs scheduled work')
  } catch (error) {
    if (state.client !== client) return
    reset(state)
    state.logger.warn({ reason: messageOf(error) }, 'the connection for events of other instances failed')
    // Ending a dead connection can wait for a reply that never comes.
    client.end().catch(() => {})
  }
}

function reset(state: State): void {
  state.client = null
  state.isLeader = false
}

/**
 * Sends the newest payload. If a notification is lost, the other processes read the events within a second.
 */
async function sendPending(state: State): Promise<void> {
  while (state.pending !== null && !state.isClosed) {
    const payload = state.pending
    state.pending = null
    await state.pool
      .query('SELECT pg_notify($1, $2)', [channel, payload])
      .catch((error: unknown) =>
        state.logger.warn({ reason: messageOf(error) }, 'could not notify other instances'),
      )
  }
}
