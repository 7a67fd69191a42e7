import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Passkey, RegistrationResponse } from '../../../../contract/accounts/passkeys.ts'
import type { Challenges } from '../../../auth/challenges.ts'
import type { Query, Tx } from '../../../db/types.ts'
import type { History, HistoryEvent } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import type { NewId } from '../../../lib/ids.ts'
import {
  type CurrentPasswordDeps,
  requireSession,
  type SignedIn,
  signedInUser,
  verifyCurrentPassword,
} from '../signed-in.ts'
import { type PasskeyChallenge, takeChallenge } from './challenge.ts'
import { passkeyPlace } from './origin.ts'
import {
  deletePasskey,
  findPasskey,
  findPasskeyByCredential,
  insertPasskey,
  type PasskeyRow,
  passkeysOf,
  renamePasskey,
} from './passkeys.store.ts'
import { loadWebauthn } from './webauthn.ts'

export type PasskeysDeps = CurrentPasswordDeps & {
  readonly history: History
  readonly newId: NewId
  readonly passkeyChallenges: Challenges<PasskeyChallenge>
}

type CreateBody = { readonly name: string; readonly response: RegistrationResponse }

const maxPasskeys = 20
const productName = 'Promptdeck'

export type PasskeysService = ReturnType<typeof createPasskeysService>

/** Manages the passkeys of the signed-in user. */
export function createPasskeysService(deps: PasskeysDeps) {
  return {
    async list(ctx: Context) {
      const { userId } = signedInUser(ctx)
      const data = (await passkeysOf(deps.db.read, userId)).map(toWire)
      return { data, total: data.length, next_cursor: null }
    },
    createOptions: (ctx: Context, body: { readonly current_password: string }) =>
      createOptions(deps, ctx, body.current_password),
    create: (ctx: Context, body: CreateBody) => create(deps, ctx, body),
    update: (ctx: Context, id: string, body: { readonly name: string }) => rename(deps, ctx, id, body.name),
    remove: (ctx: Context, id: string, body: { readonly current_password: string }) =>
      remove(deps, ctx, id, body.current_password),
  }
}

function toWire(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    name: row.name,
    host: row.rp_id,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  }
}

async function createOptions(deps: PasskeysDeps, ctx: Context, password: string) {
  const place = passkeyPlace(ctx.origin)
  const user = signedInUser(ctx)
  await verifyCurrentPassword(deps, ctx, user, password)
  const existing = await passkeysOf(deps.db.read, user.userId)
  requireBelowLimit(existing)
  const { sessionId } = user
  const { challenge } = await deps.passkeyChallenges.issue(user.userId, { ...place, sessionId })
  const { generateRegistrationOptions } = await loadWebauthn()
  const options = await generateRegistrationOptions({
    rpName: productName,
    rpID: place.rpId,
    userID: new Uint8Array(Buffer.from(user.userId)),
    userName: user.name,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    attestationType: 'none',
    excludeCredentials: existing
      .filter((row) => row.rp_id === place.rpId)
      .map((row) => ({ id: row.credential_id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return { options: { ...options } }
}

function requireBelowLimit(existing: readonly PasskeyRow[]): void {
  if (existing.length >= maxPasskeys)
    throw invalid('name', `You have ${maxPasskeys} passkeys, the maximum. Remove one first`)
}

async function create(deps: PasskeysDeps, ctx: Context, { name, response }: CreateBody): Promise<Passkey> {
  const user = signedInUser(ctx)
  const issued = await takeChallenge(deps.passkeyChallenges, response.response.clientDataJSON, {
    ...passkeyPlace(ctx.origin),
    sessionId: user.sessionId,
  })
  const credential = await verifiedCredential(issued, response)
  const row: PasskeyRow = {
    id: deps.newId(),
    user_id: user.userId,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (credential.transports ?? []).join(','),
    rp_id: issued.rpId,
    name,
    created_at: ctx.now.getTime(),
    last_used_at: null,
  }
  await deps.db.write(async (tx) => {
    await requireSession(tx.q, user)
    requireBelowLimit(await passkeysOf(tx.q, user.userId))
    if (await findPasskeyByCredential(tx.q, row.credential_id)) throw notAccepted()
    await insertPasskey(tx.q, row)
    await record(deps, tx, ctx, user, {
      action: 'create',
      resourceId: row.id,
      summary: `${user.name} added the passkey ${name}`,
      after: { name, host: row.rp_id },
    })
  })
  return toWire(row)
}

const notAccepted = (cause?: unknown) =>
  fail('auth.invalid_passkey', {
    detail: 'The passkey could not be verified. Try again, or use another device.',
    cause,
  })

/** Returns the credential of a reply whose challenge, origin, host and user verification are correct. */
async function verifiedCredential(
  { challenge, origin, rpId }: { challenge: string; origin: string; rpId: string },
  response: RegistrationResponse,
) {
  const { verifyRegistrationResponse } = await loadWebauthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    // The library checks the rest of the shape.
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  }).catch((error: unknown) => {
    throw notAccepted(error)
  })
  if (registrationInfo === undefined) throw notAccepted()
  return registrationInfo.credential
}

async function requirePasskey(q: Query, id: string, userId: string): Promise<PasskeyRow> {
  const row = await findPasskey(q, id, userId)
  if (!row) throw fail('not_found', { detail: 'Passkey not found.' })
  return row
}

function rename(deps: PasskeysDeps, ctx: Context, id: string, name: string): Promise<Passkey> {
  const user = signedInUser(ctx)
  return deps.db.write(async (tx) => {
    const row = await requirePasskey(tx.q, id, user.userId)
    if (row.name === name) return toWire(row)
    await renamePasskey(tx.q, id, name)
    await record(deps, tx, ctx, user, {
      action: 'update',
      resourceId: id,
      summary: `${user.name} renamed the passkey ${row.name} to ${name}`,
      before: { name: row.name },
      after: { name },
    })
    return toWire({ ...row, name })
  })
}

async function remove(deps: PasskeysDeps, ctx: Context, id: string, password: string): Promise<{ ok: true }> {
  const user = signedInUser(ctx)
  await verifyCurrentPassword(deps, ctx, user, password)
  await deps.db.write(
    async (tx) => {
      await requireSession(tx.q, user)
      const row = await requirePasskey(tx.q, id, user.userId)
      await deletePasskey(tx.q, id)
      await record(deps, tx, ctx, user, {
        action: 'delete',
        resourceId: id,
        summary: `${user.name} removed the passkey ${row.name}`,
        before: { name: row.name, host: row.rp_id },
      })
    },
    { evenWhenFull: true },
  )
  return { ok: true }
}

function record(
  { history }: PasskeysDeps,
  tx: Tx,
  ctx: Context,
  { userId, name }: SignedIn,
  event: Pick<HistoryEvent, 'action' | 'resourceId' | 'summary' | 'before' | 'after'>,
): Promise<void> {
  return history.record(tx, ctx, { ...event, resource: 'passkey', userId, key: name, changed: 'user' })
}
