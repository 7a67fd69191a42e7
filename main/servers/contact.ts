import { isAbort, problemOf } from './failures.ts'
import { begin, list, type ServerAddress, type State, show } from './flow-state.ts'
import { createPairing } from './pairing.ts'
import type { StoredServer } from './stored-servers.ts'
import type { Candidate } from './views.ts'

/** Asks the person whether to connect to the server of a link. Sends nothing before. */
export async function ask(state: State, link: string): Promise<void> {
  begin(state)
  try {
    const address = (await state.client()).parseAddress(link)
    state.asked = address
    show(state, { kind: 'asked', host: new URL(address.origin).host })
  } catch (error) {
    show(state, list(state, { problem: problemOf(error) }))
  }
}

/** Connects to the server at an address that the person entered. */
export async function connect(state: State, text: string): Promise<void> {
  try {
    await contact(state, (await state.client()).parseAddress(text))
  } catch (error) {
    show(state, list(state, { problem: problemOf(error), address: text.slice(0, 300) }))
  }
}

/** Connects to the server of the link, which the person has confirmed. */
export async function proceed(state: State): Promise<void> {
  if (state.asked !== null) await contact(state, state.asked)
}

/** Fetches the CA of a server. The person compares its words, unless this app is paired with it. */
async function contact(state: State, address: ServerAddress): Promise<void> {
  const signal = begin(state)
  const { origin, secret } = address
  const { host } = new URL(origin)
  show(state, { kind: 'contacting', host })
  try {
    const client = await state.client()
    const { pem: ca, fingerprint, words } = await client.fetchAuthority(address, signal)
    const known = state.servers.byFingerprint(fingerprint)
    if (known !== null && secret === null && (await openPaired(state, known, origin, signal))) return
    const name = await client.identify({ origin, ca }, signal)
    signal.throwIfAborted()
    const candidate: Candidate = { name, host, words, fingerprint }
    state.target = { candidate, origin, ca, secret }
    show(state, { kind: 'compare', candidate })
  } catch (error) {
    if (signal.aborted || isAbort(error)) return
    show(state, list(state, { problem: problemOf(error), address: host }))
  }
}

/**
 * Opens a paired server at the address that was entered, which may be a new one: the CA that was stored with
 * it proves that it is the same. Returns false if this device has to be paired again.
 */
async function openPaired(
  state: State,
  server: StoredServer,
  origin: string,
  signal: AbortSignal,
): Promise<boolean> {
  const client = await state.client()
  try {
    const token = await state.tokens.reveal(server)
    const session = await client.openSession({ origin, ca: server.ca }, token)
    signal.throwIfAborted()
    if (origin !== server.origin) {
      state.closeServer(server.id)
      state.servers.change(server.id, { origin })
    }
    await state.openServer(server.id, signal, session.token)
    state.close()
    return true
  } catch (error) {
    if (problemOf(error).kind === 'revoked') return false
    throw error
  }
}

/** Continues with the account: the person found the words to be the same. */
export function confirmWords(state: State): void {
  const { target } = state
  if (target === null) return
  state.pairing = createPairing(
    {
      ...state,
      show: (view) => show(state, view),
      failed: (error) =>
        show(state, list(state, { problem: problemOf(error), address: target.candidate.host })),
      replaced: (server) => void drop(state, server),
      paired: (server, sessionToken) => void open(state, server.id, sessionToken),
    },
    target,
    state.work.signal,
  )
  state.pairing.start()
}

/** Closes the window of a server that is not stored any more, and deletes what Chromium stored of it. */
export async function drop(state: State, server: StoredServer): Promise<void> {
  state.closeServer(server.id)
  await state.forget(server)
}

/** Opens a server, or shows why that is not possible. Ends any other work, and is itself ended by the next. */
export async function open(state: State, id: string, sessionToken?: string): Promise<void> {
  const signal = begin(state)
  const server = state.servers.get(id)
  if (server === null) return show(state, list(state))
  if (!state.isOpen(id)) show(state, { kind: 'contacting', host: new URL(server.origin).host })
  try {
    await state.openServer(id, signal, sessionToken)
    state.close()
  } catch (error) {
    if (signal.aborted) return
    show(state, list(state, { problem: problemOf(error), problemOf: id }))
  }
}
