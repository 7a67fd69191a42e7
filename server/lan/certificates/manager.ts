import { fingerprintWords } from '../words.ts'
import { type Authority, createAuthority } from './authority.ts'
import {
  AuthorityError,
  type KeySeal,
  missingAuthority,
  readAuthority,
  setAside,
  writeAuthority,
} from './authority-file.ts'
import type { Credentials } from './credentials.ts'
import { isDue, issueLeaf, type Subjects } from './leaf.ts'
import { type OwnFiles, readOwn, stateOf } from './own.ts'

/** The certificate to present, and whether it differs from the previous one. */
export type Current = { readonly credentials: Credentials; readonly words: readonly string[] }

export type Certificates = {
  /**
   * Returns the certificate for these names and addresses. It is issued again if they changed or a third of
   * its lifetime is left; the operator's own certificate is read again if its files changed.
   */
  current(subjects: Subjects, now: Date): Promise<Current>
  /** Replaces the local authority. Every device has to trust the new one. */
  replaceAuthority(hostNames: readonly string[], now: Date): Promise<string>
}

export type CertificatesDeps = {
  /** `<data folder>/keys/lan-ca.pem`. */
  readonly file: string
  readonly seal: KeySeal
  /** Null: certificates come from the local authority. */
  readonly own: OwnFiles | null
  /** The fingerprint of the authority that was created earlier, or null. It reveals that the file is lost. */
  readonly knownAuthority: () => string | null
  /** Stores the fingerprint of a new authority. */
  readonly remember: (fingerprint: string) => Promise<void>
  readonly logger: { info(details: object, text: string): void; error(details: object, text: string): void }
}

type State = CertificatesDeps & {
  authority: Authority | null
  issued: { readonly credentials: Credentials; readonly subjects: string } | null
  lastOwn: { readonly credentials: Credentials; readonly state: string } | null
  /** The state of the files of the last failed attempt, so that each failure is logged once. */
  failedState: string | null
  words: { readonly fingerprint: string; readonly words: readonly string[] } | null
}

/** Creates the source of the certificates that the LAN listener presents. */
export function createCertificates(deps: CertificatesDeps): Certificates {
  const state: State = {
    ...deps,
    authority: null,
    issued: null,
    lastOwn: null,
    failedState: null,
    words: null,
  }
  return {
    async current(subjects, now) {
      const credentials =
        state.own === null ? await issued(state, subjects, now) : await ownPair(state, state.own)
      return { credentials, words: await wordsOf(state, credentials.fingerprint) }
    },
    async replaceAuthority(hostNames, now) {
      await setAside(state.file, now)
      state.issued = null
      state.authority = await newAuthority(state, hostNames, now)
      return state.authority.fingerprint
    },
  }
}

async function issued(state: State, subjects: Subjects, now: Date): Promise<Credentials> {
  const authority = state.authority ?? (await openAuthority(state, subjects.names, now))
  state.authority = authority
  if (new Date(authority.certificate.validTo) <= now) {
    throw new AuthorityError(
      'The certificate authority has expired. Create a new one under Settings › Network: every device then has to trust it.',
    )
  }
  const key = JSON.stringify(subjects)
  if (state.issued?.subjects === key && !isDue(state.issued.credentials, now)) return state.issued.credentials
  const credentials = await issueLeaf(authority, subjects, now)
  state.issued = { credentials, subjects: key }
  const { names, addresses } = subjects
  state.logger.info({ names, addresses, notAfter: credentials.notAfter }, 'issued a server certificate')
  return credentials
}

async function openAuthority(state: State, hostNames: readonly string[], now: Date): Promise<Authority> {
  const found = await readAuthority(state.file, state.seal)
  if (found !== null) {
    if (found.fingerprint !== state.knownAuthority()) await state.remember(found.fingerprint)
    return found
  }
  if (state.knownAuthority() !== null) throw missingAuthority(state.file)
  return newAuthority(state, hostNames, now)
}

async function newAuthority(state: State, hostNames: readonly string[], now: Date): Promise<Authority> {
  const authority = await createAuthority(hostNames, now)
  await writeAuthority(state.file, authority, state.seal)
  await state.remember(authority.fingerprint)
  state.logger.info({ fingerprint: authority.fingerprint }, 'created the certificate authority')
  return authority
}

/** Reads the operator's pair if its files changed. A pair that cannot be used does not replace the old one. */
async function ownPair(state: State, files: OwnFiles): Promise<Credentials> {
  const before = await stateOf(files)
  const last = state.lastOwn
  if (last !== null && (last.state === before || state.failedState === before)) return last.credentials
  try {
    const credentials = await readOwn(files)
    // The files are replaced one after the other. If they changed meanwhile, the next check reads them again.
    const isStable = (await stateOf(files)) === before
    state.lastOwn = { credentials, state: isStable ? before : '' }
    state.failedState = null
    state.logger.info({ notAfter: credentials.notAfter }, 'read the certificate from TLS_CERT and TLS_KEY')
    return credentials
  } catch (err) {
    if (last === null) throw err
    state.failedState = before
    state.logger.error({ err }, 'TLS_CERT and TLS_KEY cannot be used; the earlier certificate stays in use')
    return last.credentials
  }
}

async function wordsOf(state: State, fingerprint: string): Promise<readonly string[]> {
  if (state.words?.fingerprint !== fingerprint) {
    state.words = { fingerprint, words: await fingerprintWords(fingerprint) }
  }
  return state.words.words
}
