import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { argv, versions } from 'node:process'
import { fileURLToPath } from 'node:url'
import { clearBuildState, parts } from './lib/build/parts.mjs'
import { fingerprint, isInstalled, lockHash, readStamps, staleReason, stampFile } from './lib/build/stale.mjs'
import { withLock } from './lib/lock.mjs'
import { at, log, PlainError, root, script } from './lib/root.mjs'
import { runNpm } from './lib/run.mjs'

/** @typedef {keyof typeof parts} PartName */

const stamps = at(stampFile)
const installedFile = at('node_modules/.installed')

/**
 * Installs and builds what is stale and logs it; fast and silent if nothing is. Runs before packages are
 * installed, so it and its imports use only Node. Concurrent calls run one after the other; the second finds
 * nothing to do.
 * @param {readonly PartName[]} names @param {{ force?: boolean }} [options]
 */
export async function ensure(names, { force = false } = {}) {
  checkNode()
  // An installed package contains what was built, and no sources.
  if (!existsSync(at('server/cli.ts'))) return
  if (!force && isInstallFresh() && names.every((name) => staleReasonOf(name) === null)) return
  const onWait = (/** @type {number} */ holder) => log(`waiting for process ${holder}, which is building`)
  await withLock(at('.cache/ensure.lock'), () => installAndBuild(names, force), { onWait })
}

/** @param {readonly PartName[]} names @param {boolean} force */
async function installAndBuild(names, force) {
  if (!isInstallFresh()) await timed('installing packages (npm ci)', install)
  for (const name of names) {
    const reason = force ? 'requested' : staleReasonOf(name)
    if (reason === null) continue
    const { label, inputs, build } = parts[name]
    await timed(`building ${label} (${reason})`, async () => {
      // Before the build, so that changes made during the build count as stale. The stamp is removed until
      // the build succeeds.
      const now = fingerprint(root, inputs)
      writeStamp(name, undefined)
      if (force || reason !== 'sources changed') clearBuildState(name)
      await build()
      writeStamp(name, now)
    })
  }
}

/** @param {PartName} name */
const staleReasonOf = (name) => staleReason({ root, ...parts[name], stamp: readStamps(stamps)[name] })

/** @param {PartName} name @param {string | undefined} value */
function writeStamp(name, value) {
  mkdirSync(at('dist'), { recursive: true })
  writeFileSync(stamps, `${JSON.stringify({ ...readStamps(stamps), [name]: value }, null, 2)}\n`)
}

function isInstallFresh() {
  try {
    if (readFileSync(installedFile, 'utf8') === lockHash(root)) return true
  } catch {
    // No note of an earlier call: use npm's own record.
  }
  if (!isInstalled(root)) return false
  writeFileSync(installedFile, lockHash(root))
  return true
}

async function install() {
  rmSync(installedFile, { force: true })
  let { code, output } = await runNpm(['ci', '--loglevel=error'])
  if (code !== 0 && output.includes('EUSAGE')) {
    log('package-lock.json does not match this npm version; installing with npm install --no-save')
    ;({ code, output } = await runNpm(['install', '--no-save', '--loglevel=error']))
  }
  if (code !== 0) throw new PlainError(`npm failed: ${npmReason(output)}`)
  writeFileSync(installedFile, lockHash(root))
}

/** Returns the lines of npm's output that contain the reason. @param {string} output */
function npmReason(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*| at \S+ \(.*$/g, '').trim())
    .filter((line) => line !== '' && !/^(A complete log|Run "npm help|\/|errno|syscall)/.test(line))
  const details = lines.filter((line) => !/^code /.test(line)).slice(0, 2)
  return details.join(' ') || lines[0] || 'npm printed no reason'
}

function checkNode() {
  const required = JSON.parse(readFileSync(at('package.json'), 'utf8')).engines.node.replace('>=', '')
  if (!isAtLeast(versions.node, required))
    throw new PlainError(`Promptdeck needs Node ${required} or newer; this is ${versions.node}.`)
}

/** @param {string} version @param {string} required */
export function isAtLeast(version, required) {
  const [have, want] = [version, required].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  )
  for (let i = 0; i < 3; i++) {
    const difference = (have?.[i] ?? 0) - (want?.[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** @param {string} label @param {() => Promise<void>} work */
async function timed(label, work) {
  const start = Date.now()
  log(`${label} …`)
  await work()
  log(`  done in ${((Date.now() - start) / 1000).toFixed(1)} s`)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const requested = /** @type {PartName[]} */ (argv.slice(2).filter((name) => name in parts))
  await script(() => ensure(requested.length > 0 ? requested : ['server', 'console']))
}
