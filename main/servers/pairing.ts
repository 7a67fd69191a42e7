import { randomUUID } from 'node:crypto'
import type { ServerClient } from '../../server/index.ts'
import type { DeviceTokens } from './device-tokens.ts'
import { isAbort, problemOf } from './failures.ts'
import type { StoredServer, StoredServers } from './stored-servers.ts'
import type { AccountValues, AccountView, Candidate, View } from './views.ts'

export type PairingDeps = {
  readonly client: () => Promise<ServerClient>
  readonly servers: StoredServers
  readonly tokens: DeviceTokens
  /** Name of this computer, the first suggestion for the name of the device. */
  readonly computerName: string
  readonly now: () => number
  readonly show: (view: View) => void
  /** Called with an error that ends the pairing. */
  readonly failed: (error: unknown) => void
  /** Called with the earlier entry of a server that was paired again. */
  readonly replaced: (server: StoredServer) => void
  /** Called when the server is stored, with the token of its first session. */
  readonly paired: (server: StoredServer, sessionToken: string) => void
}

/** A server to pair with: its data so far, and the one-time secret if a link contained one. */
export type Target = {
  readonly candidate: Candidate
  readonly origin: string
  readonly ca: string
  readonly secret: string | null
}

export type Fields = Readonly<Record<string, string>>

/** Pairs this app with one server, after the person has compared the words. Aborting the signal ends it. */
export function createPairing(deps: PairingDeps, target: Target, signal: AbortSignal) {
  const first: AccountValues = { device: deps.computerName.slice(0, 64), account: 'new', username: '' }
  const state: State = { ...deps, target, signal, secret: target.secret, view: viewOf(target, first) }
  return {
    start: () => render(state, {}),
    request: (fields: Fields) => request(state, fields),
  }
}

export type Pairing = ReturnType<typeof createPairing>

type State = PairingDeps & {
  readonly target: Target
  readonly signal: AbortSignal
  /** Null: the code must be typed. */
  secret: string | null
  view: AccountView
}

const viewOf = ({ candidate, secret }: Target, values: AccountValues): AccountView => ({
  kind: 'account',
  candidate,
  needsCode: secret === null,
  needsSecondFactor: false,
  isSending: false,
  values,
  problem: null,
})

function render(state: State, change: Partial<AccountView>): void {
  state.view = { ...state.view, ...change }
  if (!state.signal.aborted) state.show(state.view)
}

async function request(state: State, fields: Fields): Promise<void> {
  const { target, signal, view, show } = state
  // A second click would use up the code.
  if (view.isSending) return
  const values = valuesOf(fields)
  const missing = missingFields(state, fields)
  if (Object.keys(missing).length > 0) {
    const message = 'Some fields are missing.'
    render(state, {
      values,
      problem: { kind: 'fields', message, remedy: 'Fill in the fields below.', fields: missing },
    })
    return
  }
  render(state, { values, isSending: true, problem: null })
  try {
    const client = await state.client()
    const requested = await client.requestPairing(target, choiceOf(state, values, fields), signal)
    // From now on the code is used up, so no error leads back to the form.
    state.view = { ...state.view, isSending: false }
    show({ kind: 'waiting', candidate: target.candidate, device: values.device })
    await finish(state, client, await client.waitForApproval(target, requested, signal))
  } catch (error) {
    if (signal.aborted || isAbort(error)) return
    refuse(state, error)
  }
}

/** Shows what the person can correct in the form; any other error ends the pairing. */
function refuse(state: State, error: unknown): void {
  const problem = problemOf(error)
  if (!state.view.isSending) state.failed(error)
  else {
    if (problem.kind === 'code') state.secret = null
    const needsSecondFactor = state.view.needsSecondFactor || 'second_factor_code' in problem.fields
    render(state, { isSending: false, problem, needsCode: state.secret === null, needsSecondFactor })
  }
}

async function finish(state: State, client: ServerClient, deviceToken: string): Promise<void> {
  const { target, signal, tokens, servers, now } = state
  const { origin, ca, candidate } = target
  // The token is stored only if it works.
  const session = await client.openSession({ origin, ca }, deviceToken)
  const server: StoredServer = {
    id: randomUUID(),
    name: candidate.name,
    origin,
    ca,
    fingerprint: candidate.fingerprint,
    username: session.username,
    pairedAt: new Date(now()).toISOString(),
    ...(await tokens.protect(deviceToken)),
  }
  signal.throwIfAborted()
  const earlier = servers.byFingerprint(server.fingerprint)
  servers.add(server)
  if (earlier !== null) state.replaced(earlier)
  state.paired(servers.get(server.id) ?? server, session.token)
}

const valuesOf = (fields: Fields): AccountValues => ({
  device: (fields['device'] ?? '').trim(),
  account: fields['account'] === 'existing' ? 'existing' : 'new',
  username: (fields['username'] ?? '').trim(),
})

function missingFields({ secret }: State, fields: Fields): Fields {
  const needed = ['device', 'username', 'password', ...(secret === null ? ['code'] : [])]
  const missing = needed.filter((field) => (fields[field] ?? '').trim() === '')
  // The service calls the name of the device `name`.
  return Object.fromEntries(missing.map((field) => [field === 'device' ? 'name' : field, 'Required']))
}

function choiceOf({ secret }: State, { device, account, username }: AccountValues, fields: Fields) {
  const { password = '', code = '', second_factor_code: secondFactor = '' } = fields
  return {
    ...(secret === null ? { code } : { secret }),
    name: device,
    account,
    username,
    password,
    ...(secondFactor.trim() !== '' && { second_factor_code: secondFactor.trim() }),
  }
}
