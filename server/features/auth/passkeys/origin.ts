import { isIP } from 'node:net'
import { fail } from '../../../lib/fail.ts'

/** The page that asks for a passkey: its origin, and the host name for which its passkeys work (RP ID). */
export type PasskeyPlace = { readonly origin: string; readonly rpId: string }

/**
 * Returns the place of a page. Throws 409 where browsers have no passkeys: at an IP address, and without HTTPS at
 * other names than localhost.
 */
export function passkeyPlace(origin: string | null | undefined): PasskeyPlace {
  const url = origin && URL.canParse(origin) ? new URL(origin) : null
  const rpId = url?.hostname ?? ''
  const isLocal = rpId === 'localhost' || rpId.endsWith('.localhost')
  const isAddress = rpId.startsWith('[') || isIP(rpId) !== 0
  if (url !== null && rpId !== '' && !isAddress && (isLocal || url.protocol === 'https:')) {
    return { origin: url.origin, rpId }
  }
  throw fail('passkey.origin_unsupported', {
    detail:
      'Passkeys need a host name: open the console at http://localhost, or at a name with HTTPS, instead of an IP address.',
  })
}
