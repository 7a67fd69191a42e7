import type { z } from 'zod'
import {
  maxWaitSeconds,
  type OpenedPairing,
  type OpenPairingBody,
  type PairBody,
  type PairingIdentity,
  type PairingRequest,
  type PairingWindow,
  type PairState,
} from '../../../contract/accounts/pairing.ts'
import type { Query } from '../../db/types.ts'
import { type Context, systemContext } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { admit } from './approve.ts'
import { newWindowSecrets } from './codes.ts'
import { type PairReply, pair } from './pair.ts'
import * as audit from './pairing.audit.ts'
import { type PairingDeps, type PairingState, recordPairing, requireNetwork, sweep } from './pairing.state.ts'
import { openedToWire, requestToWire, stateToWire, windowToWire } from './pairing.wire.ts'
import { createRequests } from './requests.ts'
import { createWindows, lifetimeMs, type Rights, type Window } from './windows.ts'

type OpenBody = z.output<typeof OpenPairingBody>

export type PairingService = {
  open(ctx: Context, body: OpenBody): Promise<OpenedPairing>
  window(ctx: Context): Promise<PairingWindow | null>
  close(ctx: Context): Promise<{ ok: true }>
  requests(ctx: Context): Promise<{ data: PairingRequest[]; total: number; next_cursor: null }>
  approve(ctx: Context, id: string): Promise<PairingRequest>
  refuse(ctx: Context, id: string): Promise<PairingRequest>
  identity(ctx: Context): Promise<PairingIdentity>
  pair(ctx: Context, body: PairBody): Promise<PairReply>
  /** Returns the state of a request. Waits up to `waitSeconds` for a change while it is pending. */
  state(ctx: Context, id: string, waitSeconds: number): Promise<PairState>
  /** Ends what is over, and records that. */
  sweep(): Promise<void>
  /** Ends waiting replies, because the service stops. */
  stopWaiting(): Promise<void>
  /** Closes all windows and records that. Windows and requests do not survive a restart. */
  closeAll(): Promise<void>
}

/** Adds devices: an admin opens a window, a device requests access with its code, an admin approves or refuses. */
export function createPairingService<NewUser>(deps: PairingDeps<NewUser>): PairingService {
  const state: PairingState<NewUser> = {
    ...deps,
    windows: createWindows(),
    requests: createRequests<NewUser>(),
  }
  return {
    open: (ctx, body) => open(state, ctx, body),
    window: (ctx) => latestWindow(state, ctx),
    close: (ctx) => close(state, ctx),
    requests: (ctx) => listRequests(state, ctx),
    approve: (ctx, id) => approve(state, ctx, id),
    refuse: (ctx, id) => refuse(state, ctx, id),
    identity: async () => {
      const { name, fingerprint, words } = requireNetwork(state).identity
      return { name, fingerprint, words: [...words] }
    },
    pair: (ctx, body) => pair(state, ctx, body),
    state: (ctx, id, waitSeconds) => stateOf(state, ctx, id, waitSeconds),
    sweep: () => sweep(state, state.clock.now()),
    stopWaiting: async () => state.requests.wakeAll(),
    closeAll: () => closeAll(state),
  }
}

async function open<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  body: OpenBody,
): Promise<OpenedPairing> {
  const network = requireNetwork(state)
  requireMayOffer(ctx, body)
  await sweep(state, ctx.now)
  const rights = await rightsOf(state, state.db.read, body)
  const secrets = newWindowSecrets()
  const nowMs = ctx.now.getTime()
  const window: Window = {
    id: state.newId(),
    opener: ctx.actor,
    rights,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs,
    hashes: { codeHash: secrets.codeHash, secretHash: secrets.secretHash },
    state: 'open',
    wrongCodes: 0,
  }
  await recordPairing(state, ctx, audit.opened(window))
  const replaced = state.windows.open(window)
  if (replaced !== null) await recordPairing(state, ctx, audit.ended(replaced, 'replaced'))
  return openedToWire(window, secrets, network)
}

/** Throws for an API token that gives the role admin: the account would outlive the token. */
function requireMayOffer(
  ctx: Context,
  { role, memberships }: Pick<Rights, 'role'> & { readonly memberships?: Rights['memberships'] | undefined },
): void {
  const isAdmin = role === 'admin' || (memberships ?? []).some((membership) => membership.role === 'admin')
  if (ctx.actor.kind !== 'api_token' || !isAdmin) return
  throw fail('auth.forbidden', {
    detail: 'An API token cannot add a device with the role admin. Sign in as an admin.',
  })
}

async function rightsOf<NewUser>(
  { findWorkspace }: PairingState<NewUser>,
  q: Query,
  { role, access = 'all', memberships = [] }: OpenBody,
): Promise<Rights> {
  const resolved: Rights['memberships'][number][] = []
  for (const [index, membership] of memberships.entries()) {
    const workspace = await findWorkspace(q, membership.workspace_id)
    if (workspace === undefined) throw invalid(`memberships.${index}.workspace_id`, 'Workspace not found')
    resolved.push({ workspace_id: workspace.id, role: membership.role })
  }
  return { role, access, memberships: resolved }
}

async function latestWindow<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
): Promise<PairingWindow | null> {
  await sweep(state, ctx.now)
  const window = state.windows.latestOf(ctx.actor)
  return window === null ? null : windowToWire(window)
}

async function close<NewUser>(state: PairingState<NewUser>, ctx: Context): Promise<{ ok: true }> {
  await sweep(state, ctx.now)
  const window = state.windows.latestOf(ctx.actor)
  if (window?.state !== 'open') throw fail('not_found', { detail: 'You have no open pairing window.' })
  state.windows.close(window)
  await recordPairing(state, ctx, audit.ended(window, 'closed'))
  return { ok: true }
}

async function listRequests<NewUser>(state: PairingState<NewUser>, ctx: Context) {
  await sweep(state, ctx.now)
  const data = state.requests.all().map(requestToWire)
  return { data, total: data.length, next_cursor: null }
}

/** Approves a request once: a second admin gets 409. If storing fails, the request is pending again. */
async function approve<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
): Promise<PairingRequest> {
  await sweep(state, ctx.now)
  const request = state.requests.take(id)
  try {
    if (request.applicant.kind === 'new') requireMayOffer(ctx, request.window.rights)
    const admission = await state.db.write((tx) => admit(state, tx, ctx, request))
    state.requests.answer(request, 'approved', ctx.actor.name, admission)
  } catch (error) {
    state.requests.release(request)
    throw error
  }
  return requestToWire(request)
}

async function refuse<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
): Promise<PairingRequest> {
  await sweep(state, ctx.now)
  const request = state.requests.take(id)
  try {
    await recordPairing(state, ctx, audit.refused(request))
    state.requests.answer(request, 'refused', ctx.actor.name, null)
  } catch (error) {
    state.requests.release(request)
    throw error
  }
  return requestToWire(request)
}

async function stateOf<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
  waitSeconds: number,
): Promise<PairState> {
  await sweep(state, ctx.now)
  const request = state.requests.find(id, ctx.pairingSecret)
  if (request === undefined) {
    throw fail('not_found', {
      detail: 'Pairing request not found. It may have ended; pair the device again.',
    })
  }
  const isOpen = request.status === 'pending' || request.status === 'deciding'
  if (isOpen) await state.requests.wait(request, Math.min(waitSeconds, maxWaitSeconds) * 1000)
  await sweep(state, state.clock.now())
  return stateToWire(request)
}

async function closeAll<NewUser>(state: PairingState<NewUser>): Promise<void> {
  const ctx = systemContext(state.clock.now(), `pairing_${state.newId()}`)
  for (const window of state.windows.openWindows()) {
    state.windows.close(window)
    await recordPairing(state, ctx, audit.ended(window, 'stopped'))
  }
}
