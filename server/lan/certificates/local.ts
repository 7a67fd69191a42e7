import { type Authority, createAuthority } from './authority.ts'
import { type KeySeal, missingAuthority, readAuthority, setAside, writeAuthority } from './authority-file.ts'
import type { Credentials } from './credentials.ts'
import { AuthorityError } from './errors.ts'
import { isDue, issueLeaf, type Subjects } from './leaf.ts'

/** Issues server certificates with the local authority, which it creates on first use. */
export type LocalCertificates = {
  current(subjects: Subjects, now: Date): Promise<Credentials>
  replaceAuthority(hostNames: readonly string[], now: Date): Promise<string>
}

export type LocalDeps = {
  /** `<data folder>/keys/lan-ca.pem`. */
  readonly file: string
  readonly seal: KeySeal
  /** The fingerprint of the authority that was created earlier, or null. It reveals that the file is lost. */
  readonly knownAuthority: () => string | null
  /** Stores the fingerprint of a new authority. */
  readonly remember: (fingerprint: string) => Promise<void>
  readonly logger: { info(details: object, text: string): void }
}

type State = LocalDeps & {
  authority: Authority | null
  issued: { readonly credentials: Credentials; readonly subjects: string } | null
}

export function createLocalCertificates(deps: LocalDeps): LocalCertificates {
  const state: State = { ...deps, authority: null, issued: null }
  return {
    current: (subjects, now) => issued(state, subjects, now),
    async replaceAuthority(hostNames, now) {
      await setAside(state.file, now)
      state.authority = await newAuthority(state, hostNames, now)
      state.issued = null
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
  if (new Date(authority.certificate.validFrom) > now) {
    throw new AuthorityError(
      `The certificate authority is valid from ${authority.certificate.validFrom}, and clients refuse its certificates before. Correct the clock, or create a new authority.`,
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
