import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
/** Sources of everything that connects to a service over TLS. */
const folders = ['sdk/js/src', 'sdk/python/src', 'sdk/java/src/main', 'server/tools']

/** Code that turns off, or replaces, the verification of certificates or host names. */
const patterns = [
  /rejectUnauthorized['"]?\s*[:=](?!\s*true\b)/,
  /NODE_TLS_REJECT_UNAUTHORIZED['"\]]*\s*=(?!=)/,
  /\bcheckServerIdentity\b/,
  /\ballowPartialTrustChain\b/,
  /\bverify\s*=\s*False\b/,
  /\bcheck_hostname\s*=(?!=)/,
  /\bverify_mode\s*=(?!=)/,
  /\bCERT_(NONE|OPTIONAL)\b/,
  /\b_create_unverified_context\b|\bPROTOCOL_TLS\b(?!_)/,
  /\bX509(Extended)?TrustManager\b|\bHostnameVerifier\b/,
  /setEndpointIdentificationAlgorithm\((?!"HTTPS"\))/,
  /disableHostnameVerification/,
  /['"]-k['"]|--insecure|ignore-certificate-errors|skip.?verif/i,
]

/**
 * Lines about the trust manager of the Java client, which calls that of the platform and adds the check of name
 * constraints. `delegations` counts the calls.
 */
const wrapping = [
  /^import javax\.net\.ssl\.X509ExtendedTrustManager;$/,
  /^final class ConstrainedTrust extends X509ExtendedTrustManager \{$/,
  /^(private final |ConstrainedTrust\()X509ExtendedTrustManager chains[;,]/,
  /\bnew ConstrainedTrust\(\(X509ExtendedTrustManager\) manager, authorities\)/,
]

/** Returns the checks of the Java trust manager, and how many of them call that of the platform. */
export function delegations() {
  const path = 'sdk/java/src/main/java/dev/promptdeck/ConstrainedTrust.java'
  const text = readFileSync(join(root, path), 'utf8')
  const calls =
    /public void (check\w+Trusted)\([^)]*\)\s*throws CertificateException \{\s*chains\.\1\(chain, authType/g
  return {
    checks: text.match(/public void check\w+Trusted\(/g)?.length ?? 0,
    calls: text.match(calls)?.length ?? 0,
  }
}

/**
 * Returns the lines of a source that turn off verification, as `path:line: text`.
 * @param {string} path @param {string} text
 */
export const unverified = (path, text) =>
  text
    .split('\n')
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => patterns.some((pattern) => pattern.test(line)))
    .filter(({ line }) => !wrapping.some((pattern) => pattern.test(line.trim())))
    .map(({ line, number }) => `${path}:${number}: ${line.trim()}`)

/** Returns the lines of all clients that turn off verification, and what was searched. */
export function searchClients() {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|py|java)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const findings = files.flatMap((file) => unverified(file.slice(root.length), readFileSync(file, 'utf8')))
  return { findings, files: files.length }
}
