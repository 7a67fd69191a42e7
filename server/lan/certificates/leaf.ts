import { dayMs } from '../../lib/durations.ts'
import { type Authority, backdatedMs } from './authority.ts'
import { decodeDomains, isPermittedAddress, isPermittedName, nameConstraintsId } from './constraints.ts'
import type { Credentials } from './credentials.ts'
import { commonExtensions, keyPem, newKeys, newSerial, signing, x509 } from './x509.ts'

export type Subjects = { readonly names: readonly string[]; readonly addresses: readonly string[] }

/** Lifetime of a server certificate. Browsers accept at most 397 days. */
const leafDays = 90

/**
 * Issues a server certificate with a new key, which stays in memory. Names and addresses outside the
 * authority's constraints are left out.
 */
export async function issueLeaf(authority: Authority, subjects: Subjects, now: Date): Promise<Credentials> {
  const keys = await newKeys()
  const issuer = new x509.X509Certificate(authority.pem)
  const names = permittedNames(authority, subjects.names)
  const addresses = subjects.addresses.filter(isPermittedAddress)
  const authorityNotAfter = issuer.notAfter
  const notBefore = new Date(now.getTime() - backdatedMs)
  const notAfter = new Date(Math.min(now.getTime() + leafDays * dayMs, authorityNotAfter.getTime()))
  const created = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: 'CN=Promptdeck server, O=Promptdeck',
    issuer: issuer.subject,
    notBefore,
    notAfter,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      ...(await commonExtensions(keys.publicKey, await issuer.publicKey.export())),
    ],
  })
  return {
    source: 'local',
    chainPem: `${created.toString('pem')}\n${authority.pem}`,
    keyPem: await keyPem(keys.privateKey),
    notBefore,
    notAfter,
    authorityPem: authority.pem,
    fingerprint: authority.fingerprint,
    authorityNotAfter,
    names,
  }
}

/**
 * Returns the names that the authority permits. A host name that changed after the authority was created is
 * not among them, but its `.local` name is.
 */
function permittedNames(authority: Authority, names: readonly string[]): readonly string[] {
  const domains = domainsOf(authority)
  return names.filter((name) => isPermittedName(name, domains))
}

/** Reads the permitted domains back from the authority's certificate. */
function domainsOf({ pem }: Authority): readonly string[] {
  const extension = new x509.X509Certificate(pem).getExtension(nameConstraintsId)
  return extension === null ? [] : decodeDomains(Buffer.from(extension.value))
}

/**
 * Returns true if a new certificate is due: a third of the lifetime is left and the authority lasts longer, or the clock is
 * before the start of the lifetime.
 */
export function isDue({ notBefore, notAfter, authorityNotAfter }: Credentials, now: Date): boolean {
  const lifetime = notAfter.getTime() - notBefore.getTime()
  const isShort = notAfter.getTime() - now.getTime() <= lifetime / 3
  return (isShort && notAfter < authorityNotAfter) || now < notBefore
}
