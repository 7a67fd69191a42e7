import type {
  OpenedPairing,
  PairingRequest,
  PairingWindow,
  PairState,
} from '../../../contract/accounts/pairing.ts'
import type { LanIdentity } from '../../lan/identity.ts'
import { timeOf } from '../../resources/changes.ts'
import type { WindowSecrets } from './codes.ts'
import type { PairingRequestState, Window } from './pairing.records.ts'

/** The identity of this service and its addresses on the network, each `host:port`, the best first. */
export type PairingNetwork = { readonly identity: LanIdentity; readonly addresses: readonly string[] }

/** Returns the reply to an opened window, the only one with its code and secret. */
export function openedToWire(
  window: Window,
  { code, secret }: WindowSecrets,
  { identity, addresses }: PairingNetwork,
): OpenedPairing {
  const { name, fingerprint, words } = identity
  const address = addresses[0] ?? ''
  // The part after # never leaves the browser, so the secret is in no request, log or referrer.
  const facts = { secret, fp: fingerprint.replaceAll(':', '').toLowerCase() }
  return {
    id: window.id,
    code,
    secret,
    qr: `https://${address}/pair#${new URLSearchParams(facts)}`,
    link: `promptdeck://pair?${new URLSearchParams({ address, ...facts })}`,
    address,
    name,
    fingerprint,
    words: [...words],
    expires_at: timeOf(window.expiresAtMs),
  }
}

export const windowToWire = (window: Window): PairingWindow => ({
  id: window.id,
  role: window.rights.role,
  access: window.rights.access,
  memberships: [...window.rights.memberships],
  state: window.state,
  wrong_codes: window.wrongCodes,
  opened_by: window.opener.name,
  created_at: timeOf(window.createdAtMs),
  expires_at: timeOf(window.expiresAtMs),
})

export function requestToWire(request: PairingRequestState<unknown>): PairingRequest {
  const { window, applicant, status } = request
  return {
    id: request.id,
    window_id: window.id,
    status,
    name: request.name,
    kind: request.kind,
    account: applicant.kind,
    username: applicant.username,
    address: request.address,
    user_agent: request.userAgent,
    words: [...request.words],
    role: applicant.kind === 'existing' ? applicant.account.role : window.rights.role,
    access: window.rights.access,
    memberships: [...window.rights.memberships],
    opened_by: window.opener.name,
    answered_by: request.answeredBy,
    created_at: timeOf(request.createdAtMs),
    expires_at: timeOf(request.expiresAtMs),
  }
}

/** Returns the state of a request for the new device. Tokens are in it until the request's time is over. */
export const stateToWire = ({ status, admission }: PairingRequestState<unknown>): PairState => ({
  status,
  ...admission,
})
