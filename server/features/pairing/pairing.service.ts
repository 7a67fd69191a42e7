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
import { type Context, principalOf, systemContext } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isAdminAnywhere, type SomeRights } from '../../resources/memberships.ts'
import { admit } from './approve.ts'
import { newWindowSecrets } from './codes.ts'
import { type PairReply, pair } from './pair.ts'
import * as audit from './pairing.audit.ts'
import type { Rights, Window } from './pairing.records.ts'
import { evenWhenFull, type PairingDeps, type PairingState, requireNetwork, sweep } from './pairing.state.ts'
import { openedToWire, requestToWire, stateToWire, windowToWire } from './pairing.wire.ts'
import { answerRequest, findRequest, requestsIn, requirePending } from './requests.ts'
import { createWaiting } from './waiting.ts'
import { addWindow, endWindow, latestWindow, lifetimeMs, openWindows } from './windows.ts'

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
  /** Closes all windows and records that. Call it before the records are lost. */
  closeAll(): Promise<void>
}

/** Adds devices: an admin opens a window, a device requests access with its code, an admin approves or refuses. */
export function createPairingService<NewUser>(deps: PairingDeps<NewUser>): PairingService {
  const waiting = createWaiting()
  const state: PairingState<NewUser> = { ...deps, waiting }
  deps.bus.listen((announcement) => {
    if (announcement.kind === 'lost') waiting.anyChanged()
    if (announcement.kind !== 'frame' || announcement.frame.type !== 'changed') return
    const { entity, id } = announcement.frame
    if (entity === 'pairing' && id !== null) waiting.changed(id)
  })
  return {
    open: (ctx, body) => open(state, ctx, body),
    window: (ctx) => ownWindow(state, ctx),
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
    async sweep() {
      await sweep(state, state.clock.now())
    },
    stopWaiting: async () => waiting.endAll(),
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
    record: 'window',
    id: state.newId(),
    opener: { principal: principalOf(ctx.actor), name: ctx.actor.name },
    rights,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs,
    hashes: { codeHash: secrets.codeHash, secretHash: secrets.secretHash },
    state: 'open',
    wrongCodes: 0,
  }
  await state.records.change(async (draft, tx) => {
    await state.history.record(tx, ctx, audit.opened(window))
    const replaced = addWindow(draft, window)
    if (replaced !== null) await state.history.record(tx, ctx, audit.ended(replaced, 'replaced'))
  }, evenWhenFull)
  return openedToWire(window, secrets, network)
}

/** Throws for an API token that gives the role admin: the account would outlive the token. */
function requireMayOffer(ctx: Context, rights: SomeRights): void {
  if (ctx.actor.kind !== 'api_token' || !isAdminAnywhere(rights)) return
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

async function ownWindow<NewUser>(state: PairingState<NewUser>, ctx: Context): Promise<PairingWindow | null> {
  const window = latestWindow(await sweep(state, ctx.now), ctx.actor)
  return window === null ? null : windowToWire(window)
}

async function close<NewUser>(state: PairingState<NewUser>, ctx: Context): Promise<{ ok: true }> {
  await sweep(state, ctx.now)
  return state.records.change(async (draft, tx) => {
    const window = latestWindow(draft, ctx.actor)
    if (window?.state !== 'open') throw fail('not_found', { detail: 'You have no open pairing window.' })
    await state.history.record(tx, ctx, audit.ended(endWindow(draft, window, 'closed'), 'closed'))
    return { ok: true }
  }, evenWhenFull)
}

async function listRequests<NewUser>(state: PairingState<NewUser>, ctx: Context) {
  const requests = requestsIn(await sweep(state, ctx.now))
  const data = requests.toReversed().map(requestToWire)
  return { data, total: data.length, next_cursor: null }
}

/** Approves a request once: a second admin gets 409. If storing fails, the request stays pending. */
async function approve<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
): Promise<PairingRequest> {
  await sweep(state, ctx.now)
  return state.records.change(async (draft, tx) => {
    const request = requirePending(draft, id)
    if (request.applicant.kind === 'new') requireMayOffer(ctx, request.window.rights)
    const admission = await admit(state, tx, ctx, request)
    const answer = { status: 'approved', answeredBy: ctx.actor.name, admission } as const
    return requestToWire(answerRequest(draft, request, answer))
  })
}

async function refuse<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
): Promise<PairingRequest> {
  await sweep(state, ctx.now)
  return state.records.change(async (draft, tx) => {
    const request = requirePending(draft, id)
    await state.history.record(tx, ctx, audit.refused(request))
    const answer = { status: 'refused', answeredBy: ctx.actor.name, admission: null } as const
    return requestToWire(answerRequest(draft, request, answer))
  }, evenWhenFull)
}

const notFound = () =>
  fail('not_found', { detail: 'Pairing request not found. It may have ended; pair the device again.' })

async function stateOf<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  id: string,
  waitSeconds: number,
): Promise<PairState> {
  const before = findRequest(await sweep(state, ctx.now), id, ctx.pairingSecret)
  if (before === undefined) throw notFound()
  if (before.status === 'pending') {
    const isPending = async () =>
      findRequest(await state.records.all(), id, ctx.pairingSecret)?.status === 'pending'
    await state.waiting.wait(id, Math.min(waitSeconds, maxWaitSeconds) * 1000, isPending)
  }
  const after = findRequest(await sweep(state, state.clock.now()), id, ctx.pairingSecret)
  if (after === undefined) throw notFound()
  return stateToWire(after)
}

async function closeAll<NewUser>({ records, history, clock, newId }: PairingState<NewUser>): Promise<void> {
  if (openWindows(await records.all()).length === 0) return
  const ctx = systemContext(clock.now(), `pairing_${newId()}`)
  await records.change(async (draft, tx) => {
    for (const window of openWindows(draft))
      await history.record(tx, ctx, audit.ended(endWindow(draft, window, 'closed'), 'stopped'))
  }, evenWhenFull)
}
