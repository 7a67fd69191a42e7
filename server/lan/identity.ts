/** The facts by which a person and a client recognize this service on the network. */
export type LanIdentity = {
  /** The name of the service, chosen by the admin; by default the host name. */
  readonly name: string
  /** SHA-256 of the authority's certificate (DER): upper-case hex pairs with `:` between them. */
  readonly fingerprint: string
  /** Four words computed from the fingerprint, see `words.ts`. */
  readonly words: readonly string[]
  /** The certificate of the authority that clients have to trust. */
  readonly authorityPem: string
}
