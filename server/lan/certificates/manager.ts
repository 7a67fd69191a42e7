import { fingerprintWords } from '../words.ts'
import type { Credentials } from './credentials.ts'
import type { Subjects } from './leaf.ts'
import type { LocalCertificates, LocalDeps } from './local.ts'
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

export type CertificatesDeps = LocalDeps & {
  /** Null: certificates come from the local authority. */
  readonly own: OwnFiles | null
  readonly logger: { info(details: object, text: string): void; error(details: object, text: string): void }
}

type State = CertificatesDeps & {
  local: Promise<LocalCertificates> | null
  lastOwn: { readonly credentials: Credentials; readonly state: string } | null
  /** The state of the files of the last failed attempt, so that each failure is logged once. */
  failedState: string | null
  words: { readonly fingerprint: string; readonly words: readonly string[] } | null
}

/** Creates the source of the certificates that the LAN listener presents. */
export function createCertificates(deps: CertificatesDeps): Certificates {
  const state: State = { ...deps, local: null, lastOwn: null, failedState: null, words: null }
  return {
    async current(subjects, now) {
      const credentials =
        state.own === null
          ? await (await localOf(state)).current(subjects, now)
          : await ownPair(state, state.own)
      return { credentials, words: await wordsOf(state, credentials.fingerprint) }
    },
    async replaceAuthority(hostNames, now) {
      return (await localOf(state)).replaceAuthority(hostNames, now)
    },
  }
}

/** Loads the library of certificates on first use: most services are not shared. */
function localOf(state: State): Promise<LocalCertificates> {
  state.local ??= import('./local.ts').then(({ createLocalCertificates }) => createLocalCertificates(state))
  return state.local
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
