/** Loads the library at the first use of a passkey, because loading it takes a tenth of the start. */
export const loadWebauthn = () => import('@simplewebauthn/server')
