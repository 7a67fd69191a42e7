import { hash } from 'node:crypto'
import { clientGuides, deviceGuides, type Guide } from './steps.ts'
import { trustStyle } from './style.ts'

/** The facts on the trust page. None comes from a request. */
export type TrustFacts = {
  readonly name: string
  readonly fingerprint: string
  readonly words: readonly string[]
  readonly authorityPem: string
  /** The HTTPS addresses of the service. */
  readonly addresses: readonly string[]
  /** `own`: the operator provides the certificate, so a device may trust it already. */
  readonly source: 'local' | 'own'
}

const styleHash = hash('sha256', trustStyle, 'base64')

/** Allows this one style sheet and nothing else: no script, no form, no frame, no connection. */
export const trustPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
const withCode = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const mark =
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path fill="currentColor" d="M10 1l9 9-9 9-9-9z"/></svg>'

/** Returns the page, which explains how a device trusts the service. */
export function renderTrustPage(facts: TrustFacts): string {
  const name = escaped(facts.name)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect to ${name} – Promptdeck</title>
<style>${trustStyle}</style>
</head>
<body>
<main>
<p class="brand">${mark}Promptdeck</p>
<h1>Connect to <bdi>${name}</bdi></h1>
<p class="lead">${lead[facts.source]}</p>
${compareSection(facts)}
${downloadSection}
${openSection(facts)}
<h3>Trust it on this device</h3>
${deviceGuides.map(guide).join('\n')}
<h3>Trust it in a program</h3>
${[...clientGuides, curlGuide(facts)].map(guide).join('\n')}
</main>
</body>
</html>
`
}

const lead = {
  local:
    'This Promptdeck service encrypts all connections. Its certificate comes from its own certificate authority, which your device does not know yet. Trust it once, and your browser opens the service without a warning.',
  own: 'This Promptdeck service encrypts all connections with a certificate of its operator. If your browser opens the service without a warning, there is nothing to do here.',
} as const

const compareSection = ({ words, fingerprint }: TrustFacts): string => `<section aria-labelledby="compare">
<h2 id="compare">1. Compare</h2>
<p>Ask the admin of the service for the four words, in person or by phone. They must be the same:</p>
<ol class="words">${words.map((word) => `<li>${escaped(word)}</li>`).join('')}</ol>
<p class="note">SHA-256 fingerprint of the certificate authority:</p>
<code class="hex">${escaped(fingerprint).replaceAll(':', ':<wbr>')}</code>
<p class="warn"><b>If they differ, stop.</b> This page is not encrypted, so someone on the network could have changed it. Do not install the certificate, and tell the admin.</p>
</section>`

const downloadSection = `<section aria-labelledby="download">
<h2 id="download">2. Download and trust the certificate</h2>
<p>The authority can only certify local services: the name of its computer, names that end with <code>.local</code>, and addresses in private networks. It cannot certify a public website.</p>
<a class="button" href="/ca.pem" download>Download certificate</a>
<p>Follow the steps for your device below. Before you confirm, open the details of the certificate and compare its SHA-256 fingerprint with the one that the admin sees under Settings › Network.</p>
</section>`

function openSection({ addresses }: TrustFacts): string {
  const items = addresses.map((address) => `<li><a href="${escaped(address)}">${escaped(address)}</a></li>`)
  return `<section aria-labelledby="open">
<h2 id="open">3. Open the service</h2>
<p>Use one of these addresses. Never enter a password or a pairing code on a page whose address does not start with <code>https</code>.</p>
<ul class="addresses">${items.join('')}</ul>
</section>`
}

const curlGuide = ({ addresses }: TrustFacts): Guide => ({
  title: 'curl',
  steps: ['Name the file in each request, or set the variable `CURL_CA_BUNDLE`.'],
  code: `curl --cacert promptdeck-ca.crt ${addresses[0] ?? 'https://…'}/health`,
})

function guide({ title, steps, code }: Guide): string {
  const items = steps.map((step) => `<li>${withCode(step)}</li>`).join('')
  const commands = code === undefined ? '' : `<pre>${escaped(code)}</pre>`
  return `<details><summary>${escaped(title)}</summary><ol>${items}</ol>${commands}</details>`
}
