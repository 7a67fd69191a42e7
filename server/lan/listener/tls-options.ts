import { constants, randomBytes } from 'node:crypto'
import type { SecureContextOptions, TlsOptions } from 'node:tls'

/** TLS 1.3 suites, then those of TLS 1.2 with forward secrecy. All are AEAD. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

/** Bytes of the keys with which Node encrypts session tickets. */
const ticketKeyBytes = 48

/** Returns new keys for session tickets. Tickets made with earlier keys need a full handshake. */
export const newTicketKeys = (): Buffer => randomBytes(ticketKeyBytes)

/** Time limit of a TLS handshake, in milliseconds. */
const handshakeMs = 10_000

/** The protocol settings of the LAN listener; `setSecureContext` needs them again at every change. */
export const protocolOptions = {
  minVersion: 'TLSv1.2',
  ciphers,
  honorCipherOrder: true,
  ecdhCurve: 'X25519:P-256:P-384',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const satisfies SecureContextOptions

/** The options with which the LAN listener is created, before it has a certificate. */
export const serverOptions = {
  ...protocolOptions,
  handshakeTimeout: handshakeMs,
  ALPNProtocols: ['http/1.1'],
} as const satisfies TlsOptions
