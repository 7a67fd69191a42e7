import { timingSafeEqual, X509Certificate } from 'node:crypto'
import { fingerprintWords } from '../../../lan/words.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { readText, send } from '../connection/send.ts'
import type { CommandContext } from '../io/command-context.ts'
import { Failure, printable, UsageError } from '../io/failure.ts'
import { parseFingerprint } from './address.ts'

/** The CA of a server, as received over plain HTTP: not trusted before its fingerprint is compared. */
export type Authority = {
  readonly pem: string
  /** Common name in the certificate. */
  readonly name: string
  /** SHA-256: upper-case hex pairs with `:` between them. */
  readonly fingerprint: string
  readonly words: readonly string[]
}

const maxPemBytes = 64 * 1024

/** Fetches the CA certificate from the trust page, which answers plain HTTP on the same port. */
export async function fetchAuthority(origin: string, signal?: AbortSignal): Promise<Authority> {
  const plain = origin.replace(/^https:/, 'http:')
  const reply = await send({
    origin: plain,
    method: 'GET',
    path: '/ca.pem',
    ca: null,
    ...(signal && { signal }),
  })
  const text = await readText(reply, maxPemBytes)
  if (reply.statusCode !== 200)
    throw new Failure(
      `${plain} offers no CA certificate`,
      `It replied with status ${reply.statusCode}`,
      'Check the address, and that sharing is on: "promptdeck lan status" on that machine',
    )
  const certificate = certificateIn(text, plain)
  return {
    pem: certificate.toString(),
    name: commonNameOf(certificate),
    fingerprint: certificate.fingerprint256,
    words: await fingerprintWords(certificate.fingerprint256),
  }
}

function certificateIn(text: string, origin: string): X509Certificate {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\w+/=\s]+-----END CERTIFICATE-----/g) ?? []
  const [block, ...others] = blocks
  try {
    if (block !== undefined && others.length === 0) return new X509Certificate(block)
  } catch (error) {
    throw notACertificate(origin, messageOf(error))
  }
  throw notACertificate(origin, `It sent ${blocks.length} certificates instead of one`)
}

const notACertificate = (origin: string, reason: string): Failure =>
  new Failure(
    `${origin} sent no usable CA certificate`,
    reason,
    'Check that the address is that of a Promptdeck service',
  )

const commonNameOf = ({ subject }: X509Certificate): string =>
  printable(/^CN=(.*)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', '))

/**
 * Makes sure that the CA is that of the intended server: by a given fingerprint, else by asking the person to
 * compare. Throws a `Failure` if it is not, and a `UsageError` if nobody can be asked.
 */
export async function confirmAuthority(
  authority: Authority,
  expected: string | null,
  { err, terminal }: Pick<CommandContext, 'err' | 'terminal'>,
): Promise<void> {
  if (expected !== null) {
    if (isSame(expected, authority.fingerprint)) return
    throw new Failure(
      'The server is not the intended one',
      `Its CA has the fingerprint ${authority.fingerprint}, which differs from the expected one`,
      'Check address and fingerprint. If both are correct, another device answers in place of the server: tell the admin',
    )
  }
  if (terminal === null)
    throw new UsageError(
      'Set --fingerprint, which the server shows under Settings › Network: nobody can be asked to compare it here.',
    )
  err.write(`Compare this with Settings › Network, or with what the admin reads to you.\n`)
  const answer = await terminal.ask('Are the fingerprint or the four words the same? (yes/no) ')
  if (/^y(es)?$/i.test(answer)) return
  throw new Failure(
    'Pairing was cancelled',
    'The fingerprint was not confirmed',
    'Ask the admin for the right address. Nothing was stored',
  )
}

const isSame = (expected: string, actual: string): boolean =>
  timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(parseFingerprint(actual), 'hex'))
