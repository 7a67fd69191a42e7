import { hash, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import type { Environment } from '../../../contract/common/environments.ts'
import type { Db } from '../../db/types.ts'
import { minuteMs } from '../../lib/durations.ts'
import type { Identity } from '../identity/identity.ts'
import { type ApiTokenRow, findTokenByHash, storeTokenUse } from './api-tokens.store.ts'
import { rightsOf, type TokenRights } from './token-rights.ts'

const prefix = 'pd_api_'
const hashOf = (token: string): string => hash('sha256', token, 'hex')

/**
 * Creates a token of 256 random bits, with the hash and the last four characters to store. An unsalted
 * SHA-256 is enough, because 256 random bits cannot be guessed.
 */
export function newApiToken(): { readonly token: string; readonly hash: string; readonly hint: string } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  return { token, hash: hashOf(token), hint: token.slice(-4) }
}

/**
 * Parses the environments of a token, which the store holds separated by commas. Null means every
 * environment.
 */
export function namespacesOf(row: Pick<ApiTokenRow, 'namespaces'>): readonly Environment[] | null {
  return row.namespaces === null ? null : (row.namespaces.split(',') as Environment[])
}

function identityOf(
  row: ApiTokenRow,
  { role, memberships, expiresAtMs, dependsOn, gateway }: TokenRights,
): Identity {
  const isLimited = row.workspace_id !== null || row.namespaces !== null
  return {
    actor: {
      kind: 'api_token',
      id: row.id,
      name: row.name,
      role,
      ...(memberships !== null && { memberships }),
      sessionId: null,
      ...(gateway !== null && { gateway }),
      ...(isLimited && { limits: { workspaceId: row.workspace_id, namespaces: namespacesOf(row) } }),
    },
    auth: 'api_token',
    mustChangePassword: false,
    isBlocked: false,
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
    dependsOn,
  }
}

/** Authenticates API tokens and tracks their last use. */
export type ApiTokens = {
  /**
   * Returns the token's principal. Null if the token is unknown, revoked or expired, or its owner is disabled
   * or deleted.
   */
  identify(token: string, now: Date): Promise<Identity | null>
  /**
   * Returns the time of the latest use known to this process or the store, in milliseconds since 1970; null
   * if never used.
   */
  lastUsedMs(row: Pick<ApiTokenRow, 'id' | 'last_used_at'>): number | null
  close(): Promise<void>
}

export function createApiTokens(deps: {
  readonly db: Db
  readonly logger: Logger
  /**
   * Interval between writes of last-used times, in milliseconds. Authentication itself never writes to the
   * store.
   */
  readonly intervalMs?: number
}): ApiTokens {
  const { db, logger, intervalMs = minuteMs } = deps
  const used = new Map<string, number>()

  const flush = async () => {
    if (used.size === 0) return
    const written = [...used]
    await db.write(({ q }) => storeTokenUse(q, written), { evenWhenFull: true })
    for (const [id, at] of written) if (used.get(id) === at) used.delete(id)
  }
  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = flush().catch((err: unknown) => logger.error({ err }, 'the use of API tokens was not stored'))
  }, intervalMs)
  timer.unref()

  return {
    async identify(token, now) {
      if (!token.startsWith(prefix)) return null
      const row = await findTokenByHash(db.read, hashOf(token))
      if (row === undefined) return null
      const rights = await rightsOf(db.read, row, now)
      if (rights.role === null) return null
      used.set(row.id, now.getTime())
      return identityOf(row, rights)
    },
    lastUsedMs({ id, last_used_at: stored }) {
      const known = used.get(id) ?? stored
      // Another instance may have stored a later use.
      return known === null || stored === null ? known : Math.max(known, stored)
    },
    async close() {
      clearInterval(timer)
      await running
      await flush()
    },
  }
}
