/** Codes of a certificate that is not valid now. */
const expiredCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])
/** Codes of a chain that does not end at a trusted certificate, as Node names them. */
const untrustedCodes = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  // Every other reason, such as a name outside the constraints of the CA.
  'UNSPECIFIED',
])

type Coded = { readonly code: string; readonly message: string }

/** Returns the error of Node with its code: the error itself or its cause, where `fetch` keeps it. */
function codedIn(error: unknown): Coded | null {
  if (!(error instanceof Error)) return null
  if ('code' in error && typeof error.code === 'string') return { code: error.code, message: error.message }
  return codedIn(error.cause)
}

/**
 * Returns the message for an error of certificate verification: what is wrong and what to do. Null for any
 * other error.
 */
export function certificateProblem(error: unknown, server: string): string | null {
  const coded = codedIn(error)
  if (coded === null) return null
  const { code, message } = coded
  const { host, hostname } = new URL(server)
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${server} is for another name than ${hostname}. Use an address that the certificate contains, and check that it is the right server.`
  if (expiredCodes.has(code))
    return `The certificate of ${server} has expired or is not valid yet. Check the clocks of both machines, then restart the server, so that it issues a new certificate.`
  if (!untrustedCodes.has(code)) return null
  return `The certificate of ${server} is not trusted (${message}). Run "promptdeck pair ${host}", or set ca or PROMPTDECK_CA to the CA certificate of the trust page, http://${host}.`
}
