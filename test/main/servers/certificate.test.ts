import { X509Certificate } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { type PresentedCertificate, pinOf, refusalOf } from '../../../main/servers/certificate.ts'
import { createAuthority, createServerCertificate } from '../../../sdk/conformance/lib/certificates.mjs'

type Authority = Awaited<ReturnType<typeof createAuthority>>
type Facts = Parameters<typeof createServerCertificate>[1]

let pinned: Authority
let foreign: Authority
beforeAll(async () => {
  pinned = await createAuthority('Promptdeck desk')
  // The same name: only the key differs.
  foreign = await createAuthority('Promptdeck desk')
})

const dayMs = 86_400_000
const now = new Date()
const pin = () => ({ host: 'localhost', ca: pinned.pem })

/** Issues a certificate, presented with its authority like a server does. */
async function issued(by: Authority, facts?: Facts): Promise<PresentedCertificate> {
  return { data: (await createServerCertificate(by, facts)).cert, issuerCert: { data: by.pem } }
}

it('accepts a certificate of the pinned authority for the pinned host, whether or not the chain is sent', async () => {
  const certificate = await issued(pinned)
  expect(refusalOf(certificate, 'localhost', pin(), now)).toBeNull()
  expect(refusalOf({ data: certificate.data }, 'LOCALHOST', pin(), now)).toBeNull()
  for (const address of ['127.0.0.1', '::1', '[::1]']) {
    const byAddress = pinOf({
      origin: `https://${address === '::1' ? '[::1]' : address}:4743`,
      ca: pinned.pem,
    })
    expect(refusalOf(certificate, address, byAddress, now)).toBeNull()
  }
})

it('refuses another authority, also one with the same name, or that signed the pinned one', async () => {
  const certificate = await issued(foreign)
  expect(refusalOf(certificate, 'localhost', pin(), now)).toBe('untrusted')
  // The pinned certificate is appended, but it issued nothing.
  const appended = { ...certificate, issuerCert: { data: foreign.pem, issuerCert: { data: pinned.pem } } }
  expect(refusalOf(appended, 'localhost', pin(), now)).toBe('untrusted')
  expect(
    refusalOf({ data: certificate.data, issuerCert: { data: pinned.pem } }, 'localhost', pin(), now),
  ).toBe('untrusted')
})

it('refuses a certificate that was issued by a server certificate', async () => {
  const leaf = await createServerCertificate(pinned)
  const { subject } = new X509Certificate(leaf.cert)
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ])
  const below = await createServerCertificate({ name: subject.replace('\n', ', '), keys })
  const chain = { data: below.cert, issuerCert: { data: leaf.cert, issuerCert: { data: pinned.pem } } }
  expect(refusalOf(chain, 'localhost', pin(), now)).toBe('untrusted')
})

it('refuses another host, whether the certificate is for it or the session is not', async () => {
  const other = await issued(pinned, { names: ['other.local'], addresses: ['192.0.2.1'] })
  expect(refusalOf(other, 'localhost', pin(), now)).toBe('wrong_host')
  expect(refusalOf(other, 'other.local', pin(), now)).toBe('wrong_host')
  expect(refusalOf(await issued(pinned), '127.0.0.1', pin(), now)).toBe('wrong_host')
  // Neither wildcards nor the common name are accepted. OpenSSL matches no wildcard of two labels.
  const [host, wildcard] = ['a.desk.local', '*.desk.local']
  for (const facts of [{ names: [wildcard] }, { names: [], commonName: host }])
    expect(refusalOf(await issued(pinned, facts), host, { ...pin(), host }, now)).toBe('wrong_host')
})

it('refuses certificates that are not valid now', async () => {
  const expired = await issued(pinned, { validUntil: new Date(now.getTime() - dayMs) })
  const later = await issued(pinned, { validUntil: new Date(now.getTime() + 90 * dayMs) })
  expect(refusalOf(expired, 'localhost', pin(), now)).toBe('expired')
  expect(refusalOf(later, 'localhost', pin(), now)).toBe('expired')
  // The authority expires after 400 days.
  const endless = await issued(pinned, { validUntil: new Date(now.getTime() + 500 * dayMs) })
  expect(refusalOf(endless, 'localhost', pin(), new Date(now.getTime() + 450 * dayMs))).toBe('expired')
})

it('accepts a pinned certificate that is its own authority, and refuses what is no certificate', async () => {
  const own = (await createServerCertificate(foreign)).cert
  expect(refusalOf({ data: own }, 'localhost', { host: 'localhost', ca: own }, now)).toBeNull()
  expect(refusalOf({ data: 'no certificate' }, 'localhost', pin(), now)).toBe('malformed')
})
