import type { AccessFields } from '../../../contract/accounts/access.ts'
import type { DeviceKind } from '../../../contract/accounts/devices.ts'
import type { PairingWindow, PairState } from '../../../contract/accounts/pairing.ts'
import type { Role } from '../../../contract/common/roles.ts'
import type { Records } from '../../db/records.ts'
import type { WindowSecrets } from './codes.ts'

/** The rights that a new user gets. */
export type Rights = AccessFields & { readonly role: Role }

/** A pairing window. It has hashes of its code and secret, never the texts. */
export type Window = {
  readonly record: 'window'
  readonly id: string
  /** The admin: the id under which limits count it (`principalOf`), and its name. */
  readonly opener: { readonly principal: string; readonly name: string }
  readonly rights: Rights
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly hashes: Pick<WindowSecrets, 'codeHash' | 'secretHash'>
  readonly state: PairingWindow['state']
  readonly wrongCodes: number
}

/** An existing user who proved to know the password. */
export type VerifiedAccount = {
  readonly id: string
  readonly username: string
  readonly role: Role
  readonly password_hash: string
  readonly second_factor: number
}

/** The account of a request. `NewUser`: a checked user that is stored on approval, as JSON. */
export type Applicant<NewUser> =
  | { readonly kind: 'new'; readonly username: string; readonly user: NewUser }
  | { readonly kind: 'existing'; readonly username: string; readonly account: VerifiedAccount }
  | { readonly kind: 'none'; readonly username: null }

/** The tokens of an approved request. */
export type Admission = Pick<PairState, 'token' | 'device_token' | 'user'>

export type PairingRequestState<NewUser> = {
  readonly record: 'request'
  readonly id: string
  readonly secretHash: string
  readonly window: Pick<Window, 'id' | 'opener' | 'rights'>
  readonly name: string
  readonly kind: DeviceKind
  readonly applicant: Applicant<NewUser>
  readonly address: string
  readonly userAgent: string
  readonly words: readonly string[]
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly status: PairState['status']
  readonly answeredBy: string | null
  readonly admission: Admission | null
}

/** A window or a request, as JSON. */
export type PairingRecord<NewUser> = Window | PairingRequestState<NewUser>

export type PairingRecords<NewUser> = Records<PairingRecord<NewUser>>

/** All windows and requests by id, the oldest first. */
export type AllRecords<NewUser> = ReadonlyMap<string, PairingRecord<NewUser>>
/** The windows and requests that a change replaces. */
export type Draft<NewUser> = Map<string, PairingRecord<NewUser>>
