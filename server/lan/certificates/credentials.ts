/** The certificate that the LAN listener presents. */
export type Credentials = {
  readonly source: 'local' | 'own'
  /** The certificate of the server, then those of its issuers, as PEM. */
  readonly chainPem: string
  readonly keyPem: string
  readonly notBefore: Date
  readonly notAfter: Date
  /** The topmost certificate of the chain, which clients have to trust. */
  readonly authorityPem: string
  readonly fingerprint: string
  readonly authorityNotAfter: Date
  /** The DNS names in the certificate, in lower case, without wildcards. */
  readonly names: readonly string[]
}
