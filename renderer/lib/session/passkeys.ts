/** True for an IP address, at which browsers have no passkeys. */
const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host)

/** True if this browser has passkeys and this page's address is one at which they work. */
export const hasPasskeys = (): boolean =>
  typeof window.PublicKeyCredential === 'function' && window.isSecureContext && !isAddress(location.hostname)

/** The options that the service sends. The library checks them. */
type Options = { readonly options: unknown }
type Library = typeof import('@simplewebauthn/browser')
type CreateOptions = Parameters<Library['startRegistration']>[0]['optionsJSON']
type GetOptions = Parameters<Library['startAuthentication']>[0]['optionsJSON']

/** Asks the browser for a new passkey. Throws if the user cancels. */
export async function createPasskey({ options }: Options) {
  const { startRegistration } = await import('@simplewebauthn/browser')
  return await startRegistration({ optionsJSON: options as CreateOptions })
}

/** Asks the browser to use a passkey. Throws if the user cancels. */
export async function getPasskey({ options }: Options) {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return await startAuthentication({ optionsJSON: options as GetOptions })
}

/** True if the user closed the browser's dialog, or it ran out of time. */
export const isCancelled = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')
