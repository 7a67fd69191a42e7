import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { readFile, stat } from '../../disk/promises.ts'
import { messageOf } from '../../lib/text/message-of.ts'
import type { Credentials } from './credentials.ts'
import { OwnCertificateError } from './errors.ts'

/** The files of the operator's own certificate: `TLS_CERT` and `TLS_KEY`. */
export type OwnFiles = { readonly cert: string; readonly key: string }

/** The state of both files. It differs after either was replaced, also through a symbolic link. */
export async function stateOf({ cert, key }: OwnFiles): Promise<string> {
  const states = await Promise.all(
    [cert, key].map((file) =>
      stat(file).then(
        ({ ino, size, mtimeMs }) => `${ino}:${size}:${mtimeMs}`,
        () => 'none',
      ),
    ),
  )
  return states.join(' ')
}

/** Reads the pair. Throws an `OwnCertificateError` if a file is unusable or they do not belong together. */
export async function readOwn(files: OwnFiles): Promise<Credentials> {
  const chainPem = await read('TLS_CERT', files.cert)
  const keyPem = await read('TLS_KEY', files.key)
  const chain = certificatesIn(chainPem, files.cert)
  const leaf = chain[0]
  const top = chain.at(-1)
  if (leaf === undefined || top === undefined) throw noCertificate(files.cert)
  requireMatch(leaf, chainPem, keyPem, files)
  return {
    source: 'own',
    chainPem,
    keyPem,
    notBefore: new Date(leaf.validFrom),
    notAfter: new Date(leaf.validTo),
    authorityPem: top.toString(),
    fingerprint: top.fingerprint256,
    authorityNotAfter: new Date(top.validTo),
    names: namesOf(leaf),
  }
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (error) {
    const reason = messageOf(error)
    throw new OwnCertificateError(`${variable} cannot be read: ${reason}. Set it to a PEM file.`, {
      cause: error,
    })
  }
}

const noCertificate = (file: string): OwnCertificateError =>
  new OwnCertificateError(`TLS_CERT ${file} contains no PEM certificate. Set it to the certificate chain.`)

function certificatesIn(pem: string, file: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw new OwnCertificateError(`TLS_CERT ${file} contains a damaged certificate. Restore the file.`, {
      cause: error,
    })
  }
}

function requireMatch(leaf: X509Certificate, chainPem: string, keyPem: string, files: OwnFiles): void {
  try {
    if (leaf.checkPrivateKey(createPrivateKey(keyPem))) {
      createSecureContext({ cert: chainPem, key: keyPem, minVersion: 'TLSv1.2' })
      return
    }
  } catch (error) {
    throw new OwnCertificateError(
      `TLS_KEY ${files.key} is not a usable private key. Set it to an unencrypted PEM key.`,
      { cause: error },
    )
  }
  throw new OwnCertificateError(
    `TLS_KEY ${files.key} is not the key of the first certificate in TLS_CERT ${files.cert}. Set both to one pair.`,
  )
}

function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return [...subjectAltName.matchAll(/DNS:([^\s,*"]+)/g)].map(([, name = '']) => name.toLowerCase())
}
