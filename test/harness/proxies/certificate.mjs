// @ts-check
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const password = 'changeit'

/**
 * Creates a certificate for `localhost`, and returns its files with the environment in which Node, Python and
 * Java trust it. @param {string} folder
 */
export function createCertificate(folder) {
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  const both = join(folder, 'both.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...[...subject, '-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  )
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  return { certificate, key, both, trust: { ...trustOf(certificate), ...javaTrust(folder, certificate) } }
}

/** @param {string} certificate */
const trustOf = (certificate) => ({ NODE_EXTRA_CA_CERTS: certificate, SSL_CERT_FILE: certificate })

/** Java trusts a copy of its own store and the certificate. @param {string} folder @param {string} certificate */
function javaTrust(folder, certificate) {
  const { stderr } = spawnSync('java', ['-XshowSettings:properties', '-version'], { encoding: 'utf8' })
  const home = /java\.home = (.+)/.exec(stderr)?.[1]
  if (home === undefined) throw new Error(`Java does not print its folder: ${stderr}`)
  const store = join(folder, 'trust.jks')
  copyFileSync(join(home, 'lib/security/cacerts'), store)
  const target = ['-keystore', store, '-storepass', password]
  const added = ['-importcert', '-noprompt', '-alias', 'proxy', '-file', certificate]
  execFileSync('keytool', [...added, ...target], { stdio: 'ignore' })
  return {
    JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=${password}`,
  }
}
