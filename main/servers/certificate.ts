import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate as Electron passes it: its PEM, and the certificate of its issuer, if the server sent it. */
export type PresentedCertificate = {
  readonly data: string
  readonly issuerCert?: PresentedCertificate
}

/** The server that a session of Chromium may connect to: this host with certificates of this CA, no other. */
export type Pin = {
  /** Name or address without port; an IPv6 address without brackets. */
  readonly host: string
  /** PEM. */
  readonly ca: string
}

export type Refusal = 'wrong_host' | 'expired' | 'untrusted' | 'malformed'

/** Maximum number of certificates from the server's to the pinned one. */
const maxDepth = 5
/** Extended key usage of TLS servers. */
const serverAuth = '1.3.6.1.5.5.7.3.1'

/**
 * Returns null if the certificate is for the pinned host, its chain ends at exactly the pinned CA, and all
 * are valid now; else the reason. The system's root certificates are not trusted. Name constraints are not
 * evaluated here, but by OpenSSL: the app signs in with the same host and CA before it opens a window.
 */
export function refusalOf(
  presented: PresentedCertificate,
  hostname: string,
  pin: Pin,
  now: Date,
): Refusal | null {
  try {
    return check(chainOf(presented), withoutBrackets(hostname), pin, now)
  } catch {
    return 'malformed'
  }
}

function check(chain: readonly X509Certificate[], hostname: string, pin: Pin, now: Date): Refusal | null {
  const [leaf] = chain
  if (leaf === undefined) return 'malformed'
  if (hostname.toLowerCase() !== pin.host.toLowerCase() || !isFor(leaf, hostname)) return 'wrong_host'
  if (leaf.keyUsage !== undefined && !leaf.keyUsage.includes(serverAuth)) return 'untrusted'
  const path = pathTo(new X509Certificate(pin.ca), chain)
  if (path === null) return 'untrusted'
  return path.every((certificate) => isValidAt(certificate, now)) ? null : 'expired'
}

/** Returns the certificates from the server's to the CA; null if they do not form a chain. */
function pathTo(ca: X509Certificate, chain: readonly X509Certificate[]): readonly X509Certificate[] | null {
  for (const [index, certificate] of chain.entries()) {
    const path = chain.slice(0, index + 1)
    // The pinned certificate is the server's own, if it has no authority.
    if (certificate.fingerprint256 === ca.fingerprint256) return path
    if (isIssuedBy(certificate, ca)) return [...path, ca]
    const issuer = chain[index + 1]
    if (issuer === undefined || !isIssuedBy(certificate, issuer)) return null
  }
  return null
}

const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

const isFor = (leaf: X509Certificate, hostname: string): boolean =>
  (isIP(hostname) === 0
    ? leaf.checkHost(hostname, { subject: 'never', wildcards: false })
    : leaf.checkIP(hostname)) !== undefined

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: Date): boolean =>
  Date.parse(validFrom) <= now.getTime() && now.getTime() <= Date.parse(validTo)

function chainOf(presented: PresentedCertificate): readonly X509Certificate[] {
  const chain: X509Certificate[] = []
  for (let next: PresentedCertificate | undefined = presented; next !== undefined; next = next.issuerCert) {
    if (chain.length === maxDepth) break
    chain.push(new X509Certificate(next.data))
  }
  return chain
}

const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')

export const pinOf = ({ origin, ca }: { readonly origin: string; readonly ca: string }): Pin => ({
  host: withoutBrackets(new URL(origin).hostname),
  ca,
})
