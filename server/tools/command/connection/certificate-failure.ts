import { Failure } from '../io/failure.ts'

const expiredCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
/** Codes of Node for a chain that does not end at a trusted certificate. */
const untrustedCode = /CERT|SIGNATURE|ISSUER|INVALID_CA|INVALID_PURPOSE|UNSPECIFIED/

/** Returns the failure for an error of certificate verification; null for any other error. */
export function certificateFailure(error: unknown, origin: string): Failure | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const { host, hostname } = new URL(origin)
  const what = `The connection to ${origin} was refused`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return new Failure(
      what,
      `Its certificate is for another name than ${hostname}`,
      'Use an address that the server shows under Settings › Network, and check that it is the right server',
      { cause: error },
    )
  if (expiredCodes.has(code))
    return new Failure(
      what,
      'Its certificate has expired or is not valid yet',
      'Check the clocks of both machines, then restart the server, so that it issues a new certificate',
      { cause: error },
    )
  if (!untrustedCode.test(code)) return null
  return new Failure(
    what,
    `Its certificate is not trusted (${error instanceof Error ? error.message : code})`,
    `Pair with "promptdeck pair ${host}", or set --ca to the CA certificate of the trust page, http://${host}. If you have paired before, ask the admin whether the CA was replaced`,
    { cause: error },
  )
}
