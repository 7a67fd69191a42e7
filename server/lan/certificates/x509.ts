import { randomBytes, webcrypto } from 'node:crypto'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

export { x509 }

/** A key for P-256. */
export type CertificateKey = webcrypto.CryptoKey

const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const
export const signing = { name: 'ECDSA', hash: 'SHA-256' } as const

export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(curve, true, ['sign', 'verify'])

/** Reads a private key (PKCS #8, DER). Rejects if it is not a key for P-256. */
export const readKey = (der: Uint8Array): Promise<CertificateKey> =>
  webcrypto.subtle.importKey('pkcs8', der, curve, true, ['sign'])

export async function keyPem(key: CertificateKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

/** Returns a serial number of 127 random bits, which is positive (RFC 5280, 4.1.2.2). */
export function newSerial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

/** Returns the extensions of every certificate: for servers only, with the ids of both keys. */
export const commonExtensions = async (
  key: CertificateKey,
  issuerKey: CertificateKey,
): Promise<readonly x509.Extension[]> => [
  new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  await x509.SubjectKeyIdentifierExtension.create(key),
  await x509.AuthorityKeyIdentifierExtension.create(issuerKey),
]
