import type { Clock } from '../lib/clock.ts'
import { type LockableSession, lockSession } from '../page/security.ts'
import { type PresentedCertificate, pinOf, refusalOf } from './certificate.ts'
import type { StoredServer } from './stored-servers.ts'

type VerifyRequest = { readonly hostname: string; readonly certificate: PresentedCertificate }

/** The parts of a session of Chromium that belongs to one server. */
export type ServerSessionPart = LockableSession & {
  /** The callback gets 0 to accept and -2 to refuse. Chromium's own verification does not count then. */
  setCertificateVerifyProc(proc: (request: VerifyRequest, callback: (result: number) => void) => void): void
  clearStorageData(): Promise<void>
}

/** Results of a verification in Electron. */
const [accepted, refused] = [0, -2]

/** Returns the name of the session of a server. Each has cookies, storage and certificates of its own. */
export const partitionOf = ({ id }: Pick<StoredServer, 'id'>): string => `persist:server-${id}`

/** Makes a session accept only this server, and grants permissions only to its console. */
export function pinSession(
  session: ServerSessionPart,
  server: Pick<StoredServer, 'origin' | 'ca' | 'name'>,
  { clock, writeLog }: { readonly clock: Clock; readonly writeLog: (line: string) => void },
): void {
  const pin = pinOf(server)
  session.setCertificateVerifyProc(({ hostname, certificate }, callback) => {
    const refusal = refusalOf(certificate, hostname, pin, new Date(clock.now()))
    if (refusal !== null) writeLog(`the certificate of ${hostname} was rejected: ${refusal}`)
    callback(refusal === null ? accepted : refused)
  })
  lockSession(session, () => server.origin)
}
