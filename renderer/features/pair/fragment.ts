/** The parameters in the fragment of a pairing address, which a QR code contains. */
export type Fragment = { readonly secret: string | null }

let taken: Fragment | null = null

/**
 * Returns the secret in the fragment of the address, and removes it from the address and the history. The
 * browser never sends a fragment. Returns the same result when called again.
 */
export function takeFragment(): Fragment {
  const { hash, pathname, search } = window.location
  if (hash.length > 1) {
    const secret = new URLSearchParams(hash.slice(1)).get('secret')
    window.history.replaceState(window.history.state, '', pathname + search)
    taken = { secret }
  }
  taken ??= { secret: null }
  return taken
}
