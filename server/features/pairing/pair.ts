import { NewAccount, type OpenedPairing, type PairBody } from '../../../contract/accounts/pairing.ts'
import { isReservedName } from '../../auth/reserved-names.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { type Credential, newRequestSecret } from './codes.ts'
import * as audit from './pairing.audit.ts'
import type { Applicant, PairingRequestState, Window } from './pairing.records.ts'
import { evenWhenFull, type PairingState, requireNetwork, sweep } from './pairing.state.ts'
import { countWrongCode, endWindow, lifetimeMs, matchWindow, openWindows } from './windows.ts'

export type PairReply = Pick<OpenedPairing, 'name' | 'words' | 'expires_at'> & {
  readonly request_id: string
  readonly request_secret: string
}

/** The reply to a wrong, expired and used code is the same. */
const wrongCode = () =>
  fail('pairing.wrong_code', {
    detail: 'The code is wrong, has expired or was used. Ask an admin to open a new pairing window.',
  })

/** Creates a pairing request, which uses up the window of its code. */
export async function pair<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  body: PairBody,
): Promise<PairReply> {
  const credential = requireComplete(body)
  const { name, words } = requireNetwork(state).identity
  await sweep(state, ctx.now)
  const window = await present(state, ctx, credential)
  const applicant = await applicantOf(state, ctx, body, window)
  const { secret, hash } = newRequestSecret()
  const nowMs = ctx.now.getTime()
  const request: PairingRequestState<NewUser> = {
    record: 'request',
    id: state.newId(),
    secretHash: hash,
    window: { id: window.id, opener: window.opener, rights: window.rights },
    name: body.name,
    kind: body.kind,
    applicant,
    address: ctx.ip,
    userAgent: ctx.userAgent,
    words,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + lifetimeMs,
    status: 'pending',
    answeredBy: null,
    admission: null,
  }
  if (!(await addRequest(state, ctx, request, window))) throw wrongCode()
  const expires_at = new Date(request.expiresAtMs).toISOString()
  return { name, words: [...words], request_id: request.id, request_secret: secret, expires_at }
}

/** Uses up the window for the request. Returns false if the window ended meanwhile: only one request gets it. */
async function addRequest<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  request: PairingRequestState<NewUser>,
  { id }: Window,
): Promise<boolean> {
  const { records, history } = state
  // Its time may be over meanwhile.
  await sweep(state, state.clock.now())
  return records.change(async (draft, tx) => {
    const window = draft.get(id)
    if (window?.record !== 'window') return false
    if (window.state !== 'open') {
      await history.record(tx, ctx, audit.replayed(window))
      return false
    }
    endWindow(draft, window, 'used')
    draft.set(request.id, request)
    await history.record(tx, ctx, audit.requested(request))
    return true
  }, evenWhenFull)
}

const isForPerson = ({ kind }: PairBody): boolean => kind === 'browser' || kind === 'desktop'

/** Throws 422 unless the body has one credential, and an account exactly if a person uses the device. */
function requireComplete(body: PairBody): Credential {
  const { code, secret, username, password, account } = body
  if (isForPerson(body)) {
    if (username === undefined) throw invalid('username', 'Required')
    if (password === undefined) throw invalid('password', 'Required')
  } else if (username !== undefined || password !== undefined || account !== undefined) {
    throw invalid('username', 'An SDK or a command line has no user: omit username, password and account')
  } else if (isReservedName(body.name)) {
    throw invalid('name', 'This name is reserved by the service')
  }
  if ((code === undefined) === (secret === undefined)) throw invalid('code', 'Set either `code` or `secret`')
  return code !== undefined ? { kind: 'code', text: code } : { kind: 'secret', text: secret ?? '' }
}

/** Returns the window of a code or secret. Throws 401, or 429 after too many failures from one address. */
export async function present<NewUser>(
  state: PairingState<NewUser>,
  ctx: Context,
  credential: Credential,
): Promise<Window> {
  const found = await state.throttle.attempt('pairing', ctx.ip, () => check(state, ctx, credential))
  if (found === null) throw wrongCode()
  return found
}

/** Returns the open window of a code or secret. Counts and records a wrong one. */
async function check<NewUser>(
  { records, history, failedCodes }: PairingState<NewUser>,
  ctx: Context,
  credential: Credential,
): Promise<Window | null> {
  const before = await records.all()
  const { open, ended } = matchWindow(before, credential)
  if (open === null && ended === null) {
    await failedCodes.record(ctx)
    if (openWindows(before).length === 0) return null
  }
  // Compared again in the change: of simultaneous guesses, no more than the permitted number are compared with a window.
  return records.change(async (draft, tx) => {
    const match = matchWindow(draft, credential)
    if (match.open !== null) return match.open
    if (match.ended !== null) await history.record(tx, ctx, audit.replayed(match.ended))
    for (const guessed of countWrongCode(draft))
      await history.record(tx, ctx, audit.ended(guessed, 'guessed'))
    return null
  }, evenWhenFull)
}

/** Returns the account for which the device asks: none, an existing user with the correct password, or a new one. */
async function applicantOf<NewUser>(
  { accounts }: PairingState<NewUser>,
  ctx: Context,
  body: PairBody,
  { rights }: Window,
): Promise<Applicant<NewUser>> {
  const { username = '', password = '', account } = body
  if (!isForPerson(body)) return { kind: 'none', username: null }
  const kind = account ?? ((await accounts.exists(username)) ? 'existing' : 'new')
  if (kind === 'existing') {
    const verified = await accounts.verify(ctx, username, password, body.second_factor_code)
    const { id, username: name, role, password_hash, second_factor } = verified
    return { kind, username: name, account: { id, username: name, role, password_hash, second_factor } }
  }
  const parsed = NewAccount.safeParse({ username, password })
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ')
    throw fail('request.invalid', { detail, errors })
  }
  const user = await accounts.prepare(ctx.now, { ...parsed.data, ...rights })
  return { kind, username: parsed.data.username, user }
}
