import { networkInterfaces } from 'node:os'
import { browse } from '../../lan/discovery/browser.ts'
import { systemMulticast } from '../../lan/discovery/multicast.ts'
import type { FoundServer } from '../../lan/discovery/records.ts'
import { parsePairAddress } from '../command/pairing/address.ts'
import { type Authority, fetchAuthority } from '../command/pairing/authority.ts'
import type { Requested } from '../command/pairing/replies.ts'
import { identify, type PairingChoice, requestPairing, waitForApproval } from './pairing.ts'
import { failureAt, serverFailure } from './server-failure.ts'
import { openSession, type ServerSession } from './session.ts'

/** A server at this origin (`https://…`), of which only this CA (PEM) is trusted. */
export type TrustedServer = { readonly origin: string; readonly ca: string }

/** An address that a person typed, pasted or opened as a link. */
export type ServerAddress = {
  readonly origin: string
  /** One-time secret of a link; null: the code must be typed. */
  readonly secret: string | null
  /** The fingerprint of the CA in the link, as 64 hex digits; null: none was given. */
  readonly fingerprint: string | null
}

/**
 * The requests of the desktop app to another computer's service. The certificate and the host name are verified
 * with the given CA alone. Errors are a `ServerFailure`, or an `AbortError` after the signal was aborted.
 */
export type ServerClient = {
  parseAddress(text: string): ServerAddress
  /** Fetches the CA over plain HTTP. Do not trust it before a person has compared its words. */
  fetchAuthority(address: ServerAddress, signal: AbortSignal): Promise<Authority>
  /** Returns the name of the service. */
  identify(server: TrustedServer, signal: AbortSignal): Promise<string>
  requestPairing(server: TrustedServer, choice: PairingChoice, signal: AbortSignal): Promise<Requested>
  /** Resolves with the token of this device when an admin has approved the request. */
  waitForApproval(server: TrustedServer, requested: Requested, signal: AbortSignal): Promise<string>
  openSession(server: TrustedServer, deviceToken: string): Promise<ServerSession>
  /** Looks for servers on the network. Returns a function that stops the search. */
  browse(onChange: (servers: readonly FoundServer[]) => void): () => void
}

export const serverClient: ServerClient = {
  parseAddress(text) {
    try {
      return parsePairAddress(text.trim())
    } catch (error) {
      throw failureAt('https://localhost', error)
    }
  },
  async fetchAuthority({ origin, fingerprint }, signal) {
    const authority = await fetchAuthority(origin, signal).catch((error: unknown) => {
      throw failureAt(origin, error)
    })
    if (fingerprint !== null && fingerprint !== authority.fingerprint.replaceAll(':', '').toLowerCase()) {
      throw serverFailure(
        'certificate',
        'The server is not the one of the link: its certificate authority has another fingerprint.',
        'Ask the admin for a new link. If that fails too, another device answers in place of the server.',
      )
    }
    return authority
  },
  identify,
  requestPairing,
  waitForApproval,
  openSession,
  browse(onChange) {
    const addresses = Object.values(networkInterfaces()).flatMap((entries = []) =>
      entries.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
    )
    const browsing = browse({ open: systemMulticast, addresses, after: afterMs, onChange })
    return () => void browsing.stop()
  },
}

function afterMs(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
