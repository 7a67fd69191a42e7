import { X509Certificate } from 'node:crypto'
import { dayMs } from '../../lib/durations.ts'
import { encodeNameConstraints, nameConstraintsId, permittedDomains } from './constraints.ts'
import { type CertificateKey, commonExtensions, newKeys, newSerial, signing, x509 } from './x509.ts'

/** The local certificate authority: its certificate, and the key that signs server certificates. */
export type Authority = {
  readonly pem: string
  readonly certificate: X509Certificate
  /** SHA-256 of the certificate: upper-case hex pairs with `:` between them. */
  readonly fingerprint: string
  readonly key: CertificateKey
}

/** Lifetime of an authority. Before its end the admin creates a new one, see docs/lan.md. */
const authorityDays = 10 * 365
/** Certificates are valid from an hour before now, because the clocks of other devices may be behind. */
export const backdatedMs = 60 * 60 * 1000

/** Creates an authority that can only certify this computer's names and private addresses. */
export async function createAuthority(hostNames: readonly string[], now: Date): Promise<Authority> {
  const keys = await newKeys()
  const serialNumber = newSerial()
  // A new authority of the same computer must have another name: clients find an issuer by its name.
  const name = `CN=Promptdeck ${hostNames[0] ?? 'server'} ${serialNumber.slice(-6)}, O=Promptdeck`
  const created = await x509.X509CertificateGenerator.create({
    serialNumber,
    subject: name,
    issuer: name,
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(now.getTime() + authorityDays * dayMs),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      new x509.Extension(nameConstraintsId, true, encodeNameConstraints(permittedDomains(hostNames))),
      ...(await commonExtensions(keys.publicKey, keys.publicKey)),
    ],
  })
  return authorityOf(created.toString('pem'), keys.privateKey)
}

/** Combines a certificate with its key. */
export function authorityOf(pem: string, key: CertificateKey): Authority {
  const certificate = new X509Certificate(pem)
  return { pem: certificate.toString(), certificate, fingerprint: certificate.fingerprint256, key }
}
