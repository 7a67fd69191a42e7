import { describe, expect, it } from 'vitest'
import { delegations, searchClients, unverified } from '../../sdk/conformance/lib/verification.mjs'

describe('the search for options that turn off verification', () => {
  it('finds none in any client', () => {
    const { findings, files } = searchClients()
    expect(findings).toEqual([])
    expect(files).toBeGreaterThan(100)
  })

  it('accepts the trust manager that calls that of the platform in each of its checks', () => {
    expect(delegations()).toEqual({ checks: 6, calls: 6 })
  })

  it('finds each form', () => {
    const forms = [
      'const agent = new Agent({ rejectUnauthorized: false })',
      'rejectUnauthorized: options.isStrict,',
      "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'",
      'checkServerIdentity: () => undefined,',
      'httpx.AsyncClient(verify=False)',
      'context.check_hostname = False',
      'context.verify_mode = ssl.CERT_NONE',
      'context = ssl._create_unverified_context()',
      'TrustManager[] all = {new X509TrustManager() {',
      'parameters.setEndpointIdentificationAlgorithm("");',
      'System.setProperty("jdk.internal.httpclient.disableHostnameVerification", "true");',
      ".option('--insecure', 'trust every certificate')",
    ]
    expect(forms.filter((form) => unverified('a.ts', form).length === 0)).toEqual([])
  })

  it('accepts strict verification', () => {
    const strict = [
      'rejectUnauthorized: true,',
      "if (process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return",
      'context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)',
      'parameters.setEndpointIdentificationAlgorithm("HTTPS");',
    ]
    expect(strict.flatMap((line) => unverified('a.ts', line))).toEqual([])
  })
})
