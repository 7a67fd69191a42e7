import type { AccessFields } from '../../../contract/accounts/access.ts'
import { maxWrongCodes, type PairingWindow, pairingSeconds } from '../../../contract/accounts/pairing.ts'
import type { Role } from '../../../contract/common/roles.ts'
import type { Actor } from '../../lib/context.ts'
import { principalOf } from '../../lib/context.ts'
import { type Credential, hashOf, isEqualHash, type WindowSecrets } from './codes.ts'

export const lifetimeMs = pairingSeconds * 1000

/** The rights that a new user gets. */
export type Rights = AccessFields & { readonly role: Role }

/** A pairing window. It has hashes of its code and secret, never the texts. */
export type Window = {
  readonly id: string
  readonly opener: Actor
  readonly rights: Rights
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly hashes: Pick<WindowSecrets, 'codeHash' | 'secretHash'>
  state: PairingWindow['state']
  wrongCodes: number
}

/** The result of presenting a code or secret. */
export type Presented = {
  /** The open window that it belongs to; null if it is wrong. */
  readonly window: Window | null
  /** The ended window that it belonged to, for the audit log. The device does not receive it. */
  readonly ended: Window | null
  /** Windows that this wrong code closed. */
  readonly closed: readonly Window[]
}

/** Maximum number of ended windows that are remembered, so that a replayed code is recognized. */
const maxEnded = 20

export type Windows = ReturnType<typeof createWindows>

/** The pairing windows of this process: at most one open window for each admin. */
export function createWindows() {
  const latest = new Map<string, Window>()
  const ended: Window[] = []

  const openWindows = () => [...latest.values()].filter(({ state }) => state === 'open')

  const end = (window: Window, state: Exclude<Window['state'], 'open'>) => {
    window.state = state
    ended.push(window)
    if (ended.length > maxEnded) ended.shift()
  }

  return {
    /** Adds a window. Returns the open window of the same admin, which it closes, or null. */
    open(window: Window): Window | null {
      const key = principalOf(window.opener)
      const before = latest.get(key)
      const replaced = before?.state === 'open' ? before : null
      if (replaced !== null) end(replaced, 'closed')
      latest.set(key, window)
      return replaced
    },

    /** Returns the latest window of an admin, which may have ended. */
    latestOf: (admin: Actor): Window | null => latest.get(principalOf(admin)) ?? null,

    openWindows,

    /**
     * Compares a credential with all windows, in the same time whichever it belongs to. A wrong one counts
     * against every open window, so guesses at one window are guesses at all of them.
     */
    present(credential: Credential): Presented {
      const hash = hashOf(credential)
      const name = credential.kind === 'code' ? 'codeHash' : 'secretHash'
      const findIn = (windows: readonly Window[]) =>
        windows.filter(({ hashes }) => isEqualHash(hash, hashes[name])).at(0) ?? null
      const open = openWindows()
      const window = findIn(open)
      if (window !== null) return { window, ended: null, closed: [] }
      for (const guessed of open) guessed.wrongCodes += 1
      const closed = open.filter(({ wrongCodes }) => wrongCodes >= maxWrongCodes)
      for (const guessed of closed) end(guessed, 'guessed')
      return { window, ended: findIn(ended), closed }
    },

    /** Uses up a window. Returns false if it ended meanwhile: only one request gets it. */
    claim(window: Window): boolean {
      if (window.state !== 'open') return false
      end(window, 'used')
      return true
    },

    close: (window: Window): void => end(window, 'closed'),

    /** Ends the windows whose time is over, and returns them. */
    expire(nowMs: number): readonly Window[] {
      const expired = openWindows().filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
      for (const window of expired) end(window, 'expired')
      return expired
    },
  }
}
