import { Failure, UsageError } from '../command/io/failure.ts'

/**
 * `address`: not an address. `unreachable`: no answer. `not_shared`: the computer answers, but no service does.
 * `certificate`: the server has another certificate than the paired one. `other_name`, `clock`: its certificate
 * is for another name, or not valid now. `revoked`: this device is unknown, revoked or expired. `code`: the
 * code or secret is wrong, expired or used. `fields`: an input is invalid. `ended`: refused or too late.
 */
export type ServerFailureKind =
  | 'address'
  | 'unreachable'
  | 'not_shared'
  | 'certificate'
  | 'other_name'
  | 'clock'
  | 'revoked'
  | 'code'
  | 'fields'
  | 'ended'
  | 'other'

/** An error for a person: the message says what happened and why, `remedy` what to do. */
export type ServerFailure = Error & {
  readonly kind: ServerFailureKind
  readonly remedy: string
  /** Messages by field of the request. */
  readonly fields: Readonly<Record<string, string>>
}

export const serverFailure = (
  kind: ServerFailureKind,
  message: string,
  remedy: string,
  fields: Readonly<Record<string, string>> = {},
): ServerFailure => Object.assign(new Error(message), { kind, remedy, fields })

const isServerFailure = (error: unknown): error is ServerFailure =>
  error instanceof Error && 'remedy' in error && 'kind' in error

/** Messages for error codes of Node and OpenSSL. `{host}` is the host and port of the server. */
const byCode: Readonly<Record<string, readonly [ServerFailureKind, message: string, remedy: string]>> = {
  ECONNREFUSED: [
    'not_shared',
    'Nothing answers at {host}. The service is not running there, or is not shared on the network any more.',
    'Ask an admin of that server to check Settings › Network, or check the port of the address.',
  ],
  ENOTFOUND: [
    'unreachable',
    'The name of {host} is unknown in this network.',
    'Check the name, or use the IP address that the server shows under Settings › Network.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'other_name',
    'The certificate of {host} is for another name. Another server may use this address now.',
    'Use an address that the server shows under Settings › Network.',
  ],
  CERT_HAS_EXPIRED: [
    'clock',
    'The certificate of {host} has expired.',
    'Check the clocks of both computers. If they are right, ask an admin to restart the service.',
  ],
  CERT_NOT_YET_VALID: [
    'clock',
    'The certificate of {host} is not valid yet.',
    'Check the clocks of both computers.',
  ],
}

const unreachable = [
  'unreachable',
  '{host} cannot be reached.',
  'Check that both computers are on the same network, and that the address is right.',
] as const

const changed = [
  'certificate',
  'The certificate of {host} was not issued by the authority with which this app was paired. An admin may have created a new authority, or another device answers in place of the server.',
  'Ask an admin. If the authority was replaced, connect to the server again and compare the four words.',
] as const

const wrongCertificate = /CERT|SIGNATURE|ISSUER|INVALID_CA|INVALID_PURPOSE|UNSPECIFIED|UNSUPPORTED/

/** Returns the failure for an error of a request to the server at this origin. Rethrows an abort. */
export function failureAt(origin: string, error: unknown): ServerFailure {
  if (isServerFailure(error)) return error
  if (error instanceof Error && error.name === 'AbortError') throw error
  const { host } = new URL(origin)
  const about = ([kind, message, remedy]: readonly [ServerFailureKind, string, string]) =>
    serverFailure(kind, message.replaceAll('{host}', host), remedy)
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const known = Object.hasOwn(byCode, code) ? byCode[code] : undefined
  if (known !== undefined) return about(known)
  if (wrongCertificate.test(code)) return about(changed)
  if (cause !== undefined) return about(unreachable)
  if (error instanceof Failure)
    return serverFailure('other', `${error.message}. ${error.reason}.`, `${error.remedy}.`)
  if (error instanceof UsageError) return serverFailure('address', error.message, 'Check what you entered.')
  throw error
}
