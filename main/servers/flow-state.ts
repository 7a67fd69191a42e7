import type { ServerClient } from '../../server/index.ts'
import type { createPairing, Pairing, PairingDeps } from './pairing.ts'
import type { StoredServer } from './stored-servers.ts'
import type { ListView, View } from './views.ts'

export type ServerAddress = ReturnType<ServerClient['parseAddress']>
type FoundServer = Parameters<Parameters<ServerClient['browse']>[0]>[0][number]

export type FlowDeps = Omit<PairingDeps, 'failed' | 'paired' | 'replaced'> & {
  /**
   * Opens the window of a server, with a session if one was just opened. Rejects with a `ServerFailure`, or if
   * the signal is aborted before the window is open.
   */
  readonly openServer: (id: string, signal: AbortSignal, sessionToken?: string) => Promise<void>
  readonly isOpen: (id: string) => boolean
  readonly closeServer: (id: string) => void
  /** Deletes what Chromium stored of a server. Never rejects. */
  readonly forget: (server: StoredServer) => Promise<void>
  /** Shows the console of this computer. Returns false if there is nothing to show yet. */
  readonly openLocal: () => boolean
  /** Called when there is nothing left to show. */
  readonly close: () => void
}

export type State = FlowDeps & {
  view: View
  /** The link that waits for a confirmation. */
  asked: ServerAddress | null
  /** The server whose words the person compares. */
  target: Parameters<typeof createPairing>[1] | null
  pairing: Pairing | null
  /** Ends the current work with a server. */
  work: AbortController
  found: readonly FoundServer[] | null
  stopLooking: () => void
  /** An error of a server that occurred while the person did something else. The next list shows it. */
  late: Pick<ListView, 'problem' | 'problemOf'> | null
}

/** Ends the current work, and returns the signal of the next one. */
export function begin(state: State): AbortSignal {
  state.work.abort()
  state.work = new AbortController()
  state.asked = null
  state.target = null
  state.pairing = null
  return state.work.signal
}

export function show(state: State, view: View): void {
  state.view = view
  state.show(view)
}

export function list(state: State, change: Partial<ListView> = {}): ListView {
  const stored = state.servers.list()
  const { late } = state
  state.late = null
  return {
    kind: 'list',
    servers: stored.map(({ id, name, origin, username }) => ({
      id,
      name,
      host: new URL(origin).host,
      username,
      isOpen: state.isOpen(id),
    })),
    found: foundOf(state, stored),
    problem: null,
    problemOf: null,
    address: '',
    renaming: null,
    forgetting: null,
    ...late,
    ...change,
  }
}

export const foundOf = ({ found }: State, stored: readonly StoredServer[]): ListView['found'] =>
  found?.map(({ id, name, address }) => ({
    name,
    address,
    claims: stored.find(({ fingerprint }) => idOf(fingerprint) === id)?.name ?? null,
  })) ?? null

/** The part of a fingerprint that a server announces. */
const idOf = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase().slice(0, 16)
