import { maxWrongCodes, pairingSeconds } from '../../../contract/accounts/pairing.ts'
import { type Actor, principalOf } from '../../lib/context.ts'
import { type Credential, hashOf, isEqualHash } from './codes.ts'
import type { AllRecords, Draft, Window } from './pairing.records.ts'

export const lifetimeMs = pairingSeconds * 1000

/** Maximum number of ended windows that are remembered, so that a replayed code is recognized. */
const maxEnded = 20

const windowsIn = (records: AllRecords<unknown>): readonly Window[] =>
  [...records.values()].filter((record) => record.record === 'window')

export const openWindows = (records: AllRecords<unknown>): readonly Window[] =>
  windowsIn(records).filter(({ state }) => state === 'open')

/** Returns the open window of an admin, else the latest one, which has ended; null if there is none. */
export function latestWindow(records: AllRecords<unknown>, admin: Actor): Window | null {
  const principal = principalOf(admin)
  const own = windowsIn(records).filter(({ opener }) => opener.principal === principal)
  return own.find(({ state }) => state === 'open') ?? own.at(-1) ?? null
}

/**
 * Compares a credential with all windows, in the same time whichever it belongs to. `ended` is the ended window that it
 * belonged to, for the audit log. The device does not receive it.
 */
export function matchWindow(
  records: AllRecords<unknown>,
  credential: Credential,
): { readonly open: Window | null; readonly ended: Window | null } {
  const hash = hashOf(credential)
  const name = credential.kind === 'code' ? 'codeHash' : 'secretHash'
  const matching = windowsIn(records).filter(({ hashes }) => isEqualHash(hash, hashes[name]))
  return {
    open: matching.find(({ state }) => state === 'open') ?? null,
    ended: matching.find(({ state }) => state !== 'open') ?? null,
  }
}

/** Adds a window. Returns the open window of the same admin, which it closes, or null. At most one is open. */
export function addWindow<NewUser>(records: Draft<NewUser>, window: Window): Window | null {
  const { principal } = window.opener
  const before = openWindows(records).find(({ opener }) => opener.principal === principal)
  records.set(window.id, window)
  return before === undefined ? null : endWindow(records, before, 'closed')
}

/** Ends a window. Returns it as it is then. */
export function endWindow<NewUser>(
  records: Draft<NewUser>,
  window: Window,
  state: Exclude<Window['state'], 'open'>,
): Window {
  const ended: Window = { ...window, state }
  records.set(ended.id, ended)
  removeSurplus(records)
  return ended
}

/** Removes the oldest ended windows beyond the limit. The latest one of each admin stays: the admin sees its end. */
function removeSurplus<NewUser>(records: Draft<NewUser>): void {
  const windows = windowsIn(records)
  const latest = new Map(windows.map(({ opener, id }) => [opener.principal, id]))
  const ended = windows.filter(
    ({ state, opener, id }) => state !== 'open' && latest.get(opener.principal) !== id,
  )
  for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEnded))) records.delete(id)
}

/**
 * Counts a wrong code against every open window, so guesses at one window are guesses at all of them. Returns the
 * windows that it closed.
 */
export function countWrongCode<NewUser>(records: Draft<NewUser>): readonly Window[] {
  const closed: Window[] = []
  for (const window of openWindows(records)) {
    const guessed: Window = { ...window, wrongCodes: window.wrongCodes + 1 }
    if (guessed.wrongCodes >= maxWrongCodes) closed.push(endWindow(records, guessed, 'guessed'))
    else records.set(guessed.id, guessed)
  }
  return closed
}

const isOver = ({ state, expiresAtMs }: Window, nowMs: number): boolean =>
  state === 'open' && expiresAtMs <= nowMs

/** Returns true if `expireWindows` would end a window. */
export const hasExpiredWindow = (records: AllRecords<unknown>, nowMs: number): boolean =>
  windowsIn(records).some((window) => isOver(window, nowMs))

/** Ends the windows whose time is over, and returns them. */
export const expireWindows = <NewUser>(records: Draft<NewUser>, nowMs: number): readonly Window[] =>
  windowsIn(records)
    .filter((window) => isOver(window, nowMs))
    .map((window) => endWindow(records, window, 'expired'))
