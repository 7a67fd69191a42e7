import { createPrivateKey, X509Certificate } from 'node:crypto'
import { dirname } from 'node:path'
import { chmod, link, readFile, rename, stat } from '../../disk/promises.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'
import { withRemedy } from '../../lib/files/remedy.ts'
import { replaceFile } from '../../lib/files/replace-file.ts'
import { messageOf } from '../../lib/text/message-of.ts'
import type { Opened } from '../../secrets/vault.ts'
import { type Authority, authorityOf } from './authority.ts'
import { AuthorityError } from './errors.ts'
import { keyPem, readKey } from './x509.ts'

/** Encrypts the authority's key with a key in the operating system's key store. */
export type KeySeal = {
  /** False: the key is stored as PEM in a file that only this user can read. */
  readonly isUsed: boolean
  seal(text: string): Promise<string>
  open(sealed: string): Opened
}

const sealedBlock = 'PROMPTDECK SEALED KEY'
const block = (label: string): RegExp =>
  new RegExp(`-----BEGIN ${label}-----\\r?\\n([\\s\\S]+?)-----END ${label}-----`)

const remedy =
  'Restore a copy of it. Without a copy, create a new certificate authority under Settings › Network: every device then has to trust it again.'

/** Returns the error for a missing file of an authority that devices may already trust. */
export const missingAuthority = (file: string): AuthorityError =>
  new AuthorityError(`The file ${file} of the certificate authority is missing. ${remedy}`)

/** Reads the authority. Returns null if there is no file. Throws an `AuthorityError` if it is unusable. */
export async function readAuthority(file: string, seal: KeySeal): Promise<Authority | null> {
  const text = await readText(file)
  if (text === null) return null
  const key = await keyIn(file, text, seal)
  const isSealed = block(sealedBlock).test(text)
  const authority = await checked(file, text, key)
  if (isSealed !== seal.isUsed) await writeAuthority(file, authority, seal)
  else if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
  return authority
}

/** Writes the certificate and its key into one file, so that both are replaced together. */
export async function writeAuthority(file: string, authority: Authority, seal: KeySeal): Promise<void> {
  await makeFolder(dirname(file))
  const plain = await keyPem(authority.key)
  const key = seal.isUsed
    ? `-----BEGIN ${sealedBlock}-----\n${await seal.seal(plain)}\n-----END ${sealedBlock}-----`
    : plain.trimEnd()
  await replaceFile(file, `${authority.pem.trimEnd()}\n${key}\n`)
}

/** Gives the file of an authority a second name, whatever its content. It stays until the new one can replace it. */
export async function setAside(file: string, now: Date): Promise<void> {
  const aside = `${file}.replaced-${now.toISOString().replace(/[:.]/g, '-')}`
  try {
    await link(file, aside).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) throw error
      // A folder, or a file system without links.
      return rename(file, aside)
    })
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

async function readText(file: string): Promise<string | null> {
  try {
    return (await readFile(file)).toString('utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    const reason = messageOf(error)
    const message = `The file ${file} of the certificate authority cannot be read: ${reason}`
    throw new AuthorityError(withRemedy(message, error, remedy), { cause: error })
  }
}

/** Returns the private key as PEM. */
async function keyIn(file: string, text: string, seal: KeySeal): Promise<string> {
  const sealed = block(sealedBlock).exec(text)?.[1]?.trim()
  if (sealed === undefined) return block('PRIVATE KEY').exec(text)?.[0] ?? ''
  const opened = seal.open(sealed)
  if ('text' in opened) return opened.text
  throw new AuthorityError(
    `The key of the certificate authority in ${file} is encrypted, and the key store of this computer cannot decrypt it now. Start the desktop app, which has access to it. If that does not help: ${remedy}`,
  )
}

async function checked(file: string, text: string, key: string): Promise<Authority> {
  try {
    const certificate = new X509Certificate(block('CERTIFICATE').exec(text)?.[0] ?? '')
    const privateKey = createPrivateKey(key)
    const isSound = certificate.verify(certificate.publicKey) && certificate.checkPrivateKey(privateKey)
    if (!isSound) throw new Error('the certificate and the key do not belong together')
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    return authorityOf(certificate.toString(), await readKey(der))
  } catch (error) {
    throw new AuthorityError(`The file ${file} of the certificate authority is damaged. ${remedy}`, {
      cause: error,
    })
  }
}
