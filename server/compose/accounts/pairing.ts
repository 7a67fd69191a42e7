import type { KeyObject } from 'node:crypto'
import type { Devices } from '../../auth/devices/devices.ts'
import { createThrottle } from '../../auth/throttle.ts'
import { createSharedRecords } from '../../cluster/shared-records.ts'
import { createRecords } from '../../db/records.ts'
import { findAccount, findAccountByName } from '../../features/auth/accounts.store.ts'
import { createFailedSignIns } from '../../features/auth/failed-sign-ins.ts'
import { tokenOf } from '../../features/auth/new-session.ts'
import { type OpenSessionDeps, storeSession } from '../../features/auth/open-session.ts'
import { type ConsumeCodeDeps, consumeCode } from '../../features/auth/second-factor/consume-code.ts'
import { type PasswordSignInDeps, verifyCredentials } from '../../features/auth/sign-in.ts'
import { wrongCodes } from '../../features/pairing/pairing.audit.ts'
import type { PairingRecord, PairingRecords } from '../../features/pairing/pairing.records.ts'
import { createPairingService } from '../../features/pairing/pairing.service.ts'
import type { PairingAccounts } from '../../features/pairing/pairing.state.ts'
import type { PairingNetwork } from '../../features/pairing/pairing.wire.ts'
import type { TokensService } from '../../features/tokens/tokens.service.ts'
import type { NewUser } from '../../features/users/new-user.ts'
import type { UsersService } from '../../features/users/users.service.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'
import type { Foundation } from '../foundation/foundation.ts'
import { sharedLog } from './sign-in.ts'

type PairingParts = Pick<Foundation, 'db' | 'cluster' | 'history' | 'vault'> & {
  readonly signIn: PasswordSignInDeps & OpenSessionDeps & ConsumeCodeDeps
  readonly users: UsersService
  readonly tokensService: TokensService
  readonly devices: Devices
  readonly failuresKey: KeyObject
  readonly network: () => PairingNetwork | null
}

/** Interval at which ended windows and requests are recorded, in milliseconds. */
const sweepMs = 5_000

/** Creates pairing, with the functions that it needs of users, sessions and API tokens. */
export function composePairing(deps: ComposeDeps, parts: PairingParts, onClose: OnClose) {
  const { clock, newId, logger } = deps
  const { db, cluster, history, devices, network } = parts
  const failedCodes = createFailedSignIns({
    db,
    history,
    clock,
    logger,
    eventOf: (_name, count) => wrongCodes(count),
  })
  onClose(() => failedCodes.close())
  const pairing = createPairingService({
    db,
    history,
    records: recordsOf(deps, parts),
    bus: cluster.bus,
    clock,
    newId,
    devices,
    throttle: createThrottle({ clock, noun: 'pairing codes', ...sharedLog(parts, clock, 'pairing') }),
    failedCodes: { record: (ctx) => failedCodes.record(ctx, null) },
    accounts: accountsOf(parts),
    findWorkspace,
    network,
  })
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    if (!cluster.isLeader()) return
    running = pairing
      .sweep()
      .catch((err: unknown) => logger.error({ err }, 'ended pairing windows could not be recorded'))
  }, sweepMs)
  timer.unref()
  onClose(async () => {
    clearInterval(timer)
    await running
    // Other instances continue with shared windows, and so does this one when it starts again.
    if (!cluster.isShared) await pairing.closeAll()
  })
  return pairing
}

/** Creates the windows and requests: shared by all instances, or in memory if this is the only one. */
const recordsOf = ({ clock }: ComposeDeps, { db, cluster, vault }: PairingParts): PairingRecords<NewUser> =>
  cluster.isShared
    ? createSharedRecords<PairingRecord<NewUser>>({ db, vault, clock, scope: 'pairing' })
    : createRecords(db)

function accountsOf({ signIn, users, tokensService }: PairingParts): PairingAccounts<NewUser> {
  return {
    exists: async (username) => (await findAccountByName(signIn.db.read, username)) !== undefined,
    async verify(ctx, username, password, code) {
      const account = await verifyCredentials(signIn, ctx, username, password)
      if (account.second_factor === 1)
        await consumeCode(signIn, ctx, account, { path: 'second_factor_code', text: code })
      return account
    },
    async findActive(q, id) {
      const account = await findAccount(q, id)
      return account?.disabled === 0 ? account : undefined
    },
    prepare: (now, body) => users.prepare(now, { ...body, memberships: [...body.memberships] }),
    insert: (tx, ctx, user) => users.insert(tx, ctx, user),
    openSession: async (tx, ctx, account, device) =>
      tokenOf(
        signIn.tokens,
        await storeSession(signIn, tx, ctx, { account, method: 'device', device, summaryEnd: '' }),
      ),
    async createToken(tx, ctx, { expiresAt, memberships, ...rights }) {
      const { id, token, expires_at } = await tokensService.createIn(tx, ctx, {
        ...rights,
        memberships: [...memberships],
        gateway: false,
        pass_through_key: false,
        expires_at: expiresAt.toISOString(),
      })
      return { id, token, expiresAtMs: expires_at === null ? expiresAt.getTime() : Date.parse(expires_at) }
    },
  }
}
