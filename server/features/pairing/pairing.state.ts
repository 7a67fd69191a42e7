import type { AccessFields } from '../../../contract/accounts/access.ts'
import type { User } from '../../../contract/accounts/users.ts'
import type { Role } from '../../../contract/common/roles.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { Bus } from '../../history/events/bus.ts'
import type { History } from '../../history/history.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Context, systemContext } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import * as audit from './pairing.audit.ts'
import type { AllRecords, PairingRecords, Rights, VerifiedAccount } from './pairing.records.ts'
import type { PairingNetwork } from './pairing.wire.ts'
import { expireRequests, hasExpiredRequest } from './requests.ts'
import type { Waiting } from './waiting.ts'
import { expireWindows, hasExpiredWindow } from './windows.ts'

export type SessionOwner = { readonly id: string; readonly username: string; readonly role: Role }

/** The functions of users, sessions and API tokens that pairing uses. They are features of their own. */
export type PairingAccounts<NewUser> = {
  exists(username: string): Promise<boolean>
  /**
   * Returns the active user with this name and password, and the code of a second factor if one is on. Throws
   * 401, or 429 after too many failures.
   */
  verify(ctx: Context, username: string, password: string, code: string | undefined): Promise<VerifiedAccount>
  /** Returns the user as stored now; undefined if it was deleted or disabled. */
  findActive(q: Query, id: string): Promise<VerifiedAccount | undefined>
  /** Checks a new user and hashes the password, without storing anything. */
  prepare(
    now: Date,
    body: AccessFields & { readonly username: string; readonly password: string; readonly role: Role },
  ): Promise<NewUser>
  insert(tx: Tx, ctx: Context, user: NewUser): Promise<User>
  /** Opens a session on a device. Returns its token. */
  openSession(
    tx: Tx,
    ctx: Context,
    user: SessionOwner,
    device: { readonly id: string; readonly name: string },
  ): Promise<string>
  /** Creates an API token for an SDK or a command line, which ends with the account that approves it. */
  createToken(
    tx: Tx,
    ctx: Context,
    body: Rights & { readonly name: string; readonly expiresAt: Date },
  ): Promise<{ readonly id: string; readonly token: string; readonly expiresAtMs: number }>
}

export type PairingDeps<NewUser> = {
  readonly db: Pick<Db, 'read'>
  readonly history: History
  /** The windows and requests, which all instances of the service share. */
  readonly records: PairingRecords<NewUser>
  /** Announces changes of windows and requests on every instance. */
  readonly bus: Pick<Bus, 'listen'>
  readonly clock: Clock
  readonly newId: NewId
  readonly devices: Pick<Devices, 'lifetimeMs'>
  readonly throttle: Throttle
  /** Records wrong codes, one audit entry for each address and minute. */
  readonly failedCodes: { record(ctx: Context): Promise<void> }
  readonly accounts: PairingAccounts<NewUser>
  /** Returns the id of a workspace by id or slug; undefined if there is none. */
  readonly findWorkspace: (q: Query, idOrSlug: string) => Promise<{ readonly id: string } | undefined>
  /** Returns null while sharing on the network is off. */
  readonly network: () => PairingNetwork | null
}

export type PairingState<NewUser> = PairingDeps<NewUser> & {
  readonly waiting: Waiting
}

/** Options of changes that protect the service: they also work in a full store. */
export const evenWhenFull = { evenWhenFull: true } as const

export function requireNetwork({ network }: Pick<PairingDeps<unknown>, 'network'>): PairingNetwork {
  const found = network()
  if (found !== null && found.addresses.length > 0) return found
  throw fail('pairing.sharing_off', {
    detail:
      'Other devices cannot reach this service. Turn on sharing in Settings › Network, then open the window again.',
  })
}

/** Ends windows and requests whose time is over, and records that. Returns the records as they are then. */
export async function sweep<NewUser>(
  { records, history, newId }: PairingState<NewUser>,
  now: Date,
): Promise<AllRecords<NewUser>> {
  const nowMs = now.getTime()
  const before = await records.all()
  if (!hasExpiredWindow(before, nowMs) && !hasExpiredRequest(before, nowMs)) return before
  const ctx = systemContext(now, `pairing_${newId()}`)
  return records.change(async (draft, tx) => {
    for (const window of expireWindows(draft, nowMs))
      await history.record(tx, ctx, audit.ended(window, 'expired'))
    for (const request of expireRequests(draft, nowMs))
      await history.record(tx, ctx, audit.unanswered(request))
    return draft
  }, evenWhenFull)
}
