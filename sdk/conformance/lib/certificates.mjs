import { randomBytes, webcrypto } from 'node:crypto'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const curve = { name: 'ECDSA', namedCurve: 'P-256' }
const dayMs = 86_400_000
/** DER of NameConstraints (2.5.29.30) that permits addresses in 10.0.0.0/8 only. */
const onlyTenNetwork = Buffer.from('300ea00c300a87080a000000ff000000', 'hex')

const newKeys = () => webcrypto.subtle.generateKey(curve, true, ['sign', 'verify'])

/**
 * Creates a certificate authority.
 * @param {string} name @param {readonly x509.Extension[]} [extensions]
 * @returns {Promise<{ pem: string, name: string, keys: CryptoKeyPair }>}
 */
export async function createAuthority(name, extensions = []) {
  const keys = await newKeys()
  const subject = `CN=${name}, O=Promptdeck`
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject,
    issuer: subject,
    notBefore: new Date(Date.now() - 400 * dayMs),
    notAfter: new Date(Date.now() + 400 * dayMs),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...extensions,
    ],
  })
  return { pem: certificate.toString('pem'), name: subject, keys }
}

/**
 * Creates a server certificate.
 * @param {{ name: string, keys: CryptoKeyPair }} authority
 * @param {{ names?: readonly string[], commonName?: string, addresses?: readonly string[], validUntil?: Date }} [options]
 *   by default for `localhost`, `127.0.0.1` and `::1`, valid for 30 days
 * @returns {Promise<{ cert: string, key: string }>} PEM texts
 */
export async function createServerCertificate(authority, options = {}) {
  const { names = ['localhost'], addresses = ['127.0.0.1', '::1'], commonName = names[0] } = options
  const { validUntil = new Date(Date.now() + 30 * dayMs) } = options
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: `CN=${commonName}`,
    issuer: authority.name,
    notBefore: new Date(validUntil.getTime() - 60 * dayMs),
    notAfter: validUntil,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: /** @type {const} */ ('dns'), value })),
        ...addresses.map((value) => ({ type: /** @type {const} */ ('ip'), value })),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(authority.keys.publicKey),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') }
}

/** Returns a positive serial number with 126 random bits. */
function newSerial() {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

let created = null

/**
 * Creates the certificates of all cases, once. `servers` has the certificate of a fault server by the member
 * `tls` of a case; `ca` is the authority that a client of the case should trust.
 * @returns {Promise<{ ca: string, otherCa: string, servers: Record<string, { cert: string, key: string, ca: string }> }>}
 */
export function caseCertificates() {
  created ??= create()
  return created
}

async function create() {
  const authority = await createAuthority('Test authority')
  const other = await createAuthority('Other authority')
  const constrained = await createAuthority('Constrained authority', [
    new x509.Extension('2.5.29.30', true, onlyTenNetwork),
  ])
  const issue = async (issuer, options) => ({
    ...(await createServerCertificate(issuer, options)),
    ca: issuer.pem,
  })
  return {
    ca: authority.pem,
    otherCa: other.pem,
    servers: {
      valid: await issue(authority),
      expired: await issue(authority, { validUntil: new Date(Date.now() - dayMs) }),
      'other-name': await issue(authority, { names: ['other.local'], addresses: ['192.0.2.1'] }),
      'outside-constraints': await issue(constrained),
    },
  }
}
