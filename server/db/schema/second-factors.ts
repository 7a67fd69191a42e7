import type { SignInMethod } from '../../../contract/accounts/session.ts'

/** The tables of second factors, passkeys, password links and sign-ins. */
export type SecondFactorTables = {
  second_factors: SecondFactorsTable
  recovery_codes: RecoveryCodesTable
  passkeys: PasskeysTable
  password_links: PasswordLinksTable
  sign_in_places: SignInPlacesTable
}

/** The secret of a user's authenticator app, sealed. */
type SecondFactorsTable = {
  user_id: string
  secret: string
  /** The time step of the last accepted code. Codes of this and earlier steps are refused. */
  last_step: number
  created_at: number
}

/** Unused recovery codes. A used code is deleted. */
type RecoveryCodesTable = { user_id: string; hash: string }

export type PasskeysTable = {
  id: string
  user_id: string
  credential_id: string
  /** COSE key as base64url. */
  public_key: string
  /** The signature counter of the authenticator; 0 for authenticators without one. */
  counter: number
  /** Comma-separated. */
  transports: string
  /** The host name for which the passkey was made. */
  rp_id: string
  name: string
  created_at: number
  last_used_at: number | null
}

/** One-time links to choose a new password. Used and replaced links remain until they are 30 days old. */
export type PasswordLinksTable = {
  hash: string
  user_id: string
  created_by: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A pair of device and network from which a user signed in. */
export type SignInPlacesTable = {
  id: string
  user_id: string
  /** The user agent without version numbers. */
  device: string
  /** The IPv4 address, or the /64 prefix of an IPv6 address. */
  network: string
  ip: string
  user_agent: string
  method: SignInMethod
  /** 1 if the user had signed in elsewhere before. */
  is_new: number
  count: number
  first_at: number
  last_at: number
}
