// @ts-check
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runOn } from './machines.mjs'

/** Protocols, ciphers, forward secrecy and known attacks; no look-ups of names. */
const checks = ['--nodns', 'none', '--protocols', '--standard', '--fs', '--vulnerable']

/**
 * Examines the TLS of a listener with testssl.sh, and returns the findings that are neither OK nor INFO.
 * Throws if TLS 1.3 is not among the findings as offered.
 * @param {string} machine @param {string} address @param {NodeJS.ProcessEnv} env @returns {Promise<string[]>}
 */
export async function weakFindings(machine, address, env) {
  const folder = mkdtempSync(join(tmpdir(), 'promptdeck-tls-'))
  const file = join(folder, 'findings.json')
  try {
    const output = ['--quiet', '--color', '0', '--warnings', 'off', '--jsonfile', file]
    await runOn(machine, ['testssl', ...output, ...checks, address], env)
    /** @type {{ id: string, severity: string, finding: string }[]} */
    const findings = JSON.parse(readFileSync(file, 'utf8'))
    if (!findings.some(({ id, finding }) => id === 'TLS1_3' && finding.startsWith('offered')))
      throw new Error('testssl did not examine TLS 1.3')
    return findings
      .filter(({ severity }) => severity !== 'OK' && severity !== 'INFO')
      .map(({ id, severity, finding }) => `${id} (${severity}): ${finding}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
