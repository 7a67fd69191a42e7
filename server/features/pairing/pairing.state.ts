import type { AccessFields } from '../../../contract/accounts/access.ts'
import type { User } from '../../../contract/accounts/users.ts'
import type { Role } from '../../../contract/common/roles.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History, HistoryEvent } from '../../history/history.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Context, systemContext } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import * as audit from './pairing.audit.ts'
import type { PairingNetwork } from './pairing.wire.ts'
import type { Requests, VerifiedAccount } from './requests.ts'
import type { Rights, Windows } from './windows.ts'

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
  readonly db: Db
  readonly history: History
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
  readonly windows: Windows
  readonly requests: Requests<NewUser>
}

/** Writes an audit entry of its own. Also works in a full store, because it protects the service. */
export const recordPairing = (
  { db, history }: Pick<PairingDeps<unknown>, 'db' | 'history'>,
  ctx: Context,
  event: HistoryEvent,
): Promise<void> => db.write((tx) => history.record(tx, ctx, event), { evenWhenFull: true })

export function requireNetwork({ network }: Pick<PairingDeps<unknown>, 'network'>): PairingNetwork {
  const found = network()
  if (found !== null && found.addresses.length > 0) return found
  throw fail('pairing.sharing_off', {
    detail:
      'Other devices cannot reach this service. Turn on sharing in Settings › Network, then open the window again.',
  })
}

/** Ends windows and requests whose time is over, and records that. */
export async function sweep<NewUser>(state: PairingState<NewUser>, now: Date): Promise<void> {
  const expired = state.windows.expire(now.getTime())
  const unanswered = state.requests.expire(now.getTime())
  if (expired.length + unanswered.length === 0) return
  const ctx = systemContext(now, `pairing_${state.newId()}`)
  for (const window of expired) await recordPairing(state, ctx, audit.ended(window, 'expired'))
  for (const request of unanswered) await recordPairing(state, ctx, audit.unanswered(request))
}
