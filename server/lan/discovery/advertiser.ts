import type { Multicast, OpenMulticast } from './multicast.ts'
import { type Announcement, isAsked, recordsOf } from './records.ts'

/** Announces a shared service on the local network while it is asked to. */
export type Advertiser = {
  /** Announces the service at these IPv4 addresses; null: announces that it has stopped and closes all sockets. */
  announce(announcement: Announcement | null, addresses: readonly string[]): Promise<void>
  /** Returns the error that prevents announcements; null if there is none. */
  failure(): string | null
}

/** Minimum time between two answers on an interface, in milliseconds (RFC 6762, 6). */
const answerPauseMs = 1_000

type Deps = { readonly open: OpenMulticast; readonly nowMs: () => number }
type Station = { readonly address: string; readonly multicast: Multicast; answeredAtMs: number }
type State = Deps & {
  announcement: Announcement | null
  stations: Station[]
  failure: string | null
}

export function createAdvertiser(deps: Deps): Advertiser {
  const state: State = { ...deps, announcement: null, stations: [], failure: null }
  return {
    announce: (announcement, addresses) => announce(state, announcement, addresses),
    failure: () => state.failure,
  }
}

async function announce(
  state: State,
  announcement: Announcement | null,
  addresses: readonly string[],
): Promise<void> {
  const wanted = announcement === null ? [] : addresses
  const current = state.stations.map(({ address }) => address)
  const isSame = JSON.stringify([announcement, wanted]) === JSON.stringify([state.announcement, current])
  if (isSame && state.failure === null) return
  await sayGoodbye(state)
  state.announcement = announcement
  if (announcement === null) return
  for (const address of wanted) openStation(state, announcement, address)
}

/** Announces that the service has stopped, and closes the sockets. */
async function sayGoodbye(state: State): Promise<void> {
  const { stations, announcement } = state
  state.stations = []
  state.failure = null
  await Promise.all(
    stations.map(({ address, multicast }) => {
      if (announcement !== null) multicast.send({ answers: recordsOf(announcement, address, 0) })
      return multicast.close()
    }),
  )
}

function openStation(state: State, announcement: Announcement, address: string): void {
  const multicast = state.open(address)
  const station: Station = { address, multicast, answeredAtMs: Number.NEGATIVE_INFINITY }
  state.stations.push(station)
  const answer = (): void => {
    // Also bounds what someone can cause by asking all the time.
    if (state.nowMs() - station.answeredAtMs < answerPauseMs) return
    station.answeredAtMs = state.nowMs()
    multicast.send({ answers: recordsOf(announcement, address) })
  }
  multicast.onError((error) => {
    state.failure = error.message
  })
  multicast.onMessage(({ type, questions }) => {
    if (type === 'query' && isAsked(questions, announcement)) answer()
  })
  answer()
}
