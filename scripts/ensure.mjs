import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { argv, versions } from 'node:process'
import { fileURLToPath } from 'node:url'
import { withLock } from './lib/lock.mjs'
import { clearBuildState, parts } from './lib/parts.mjs'
import { at, Plain, root, say, script } from './lib/root.mjs'
import { runNpm } from './lib/run.mjs'
import { fingerprint, isInstalled, lockHash, readStamps, whyStale } from './lib/stale.mjs'

/** @typedef {keyof typeof parts} PartName */

const stampFile = at('dist/.built.json')
const installedFile = at('node_modules/.installed')

/**
 * Installs and builds what is stale and logs it; fast and silent if nothing is. Runs before packages are
 * installed, so it and its imports use only Node. Concurrent calls run one after the other; the second finds
 * nothing to do.
 * @param {readonly PartName[]} names @param {{ force?: boolean }} [options]
 */
export async function ensure(names, { force = false } = {}) {
  checkNode()
  if (!force && isInstallFresh() && names.every((name) => staleness(name) === null)) return
  const onWait = (/** @type {number} */ holder) => say(`waiting for process ${holder}, which is building`)
  await withLock(at('.cache/ensure.lock'), () => work(names, force), { onWait })
}

/** @param {readonly PartName[]} names @param {boolean} force */
async function work(names, force) {
  if (!isInstallFresh()) await timed('installing packages (npm ci)', install)
  for (const name of names) {
    const reason = force ? 'asked for' : staleness(name)
    if (reason === null) continue
    const { what, inputs, build } = parts[name]
    await timed(`building ${what} (${reason})`, async () => {
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
const staleness = (name) => whyStale({ root, ...parts[name], stamp: readStamps(stampFile)[name] })

/** @param {PartName} name @param {string | undefined} value */
function writeStamp(name, value) {
  mkdirSync(at('dist'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify({ ...readStamps(stampFile), [name]: value }, null, 2)}\n`)
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
    say('package-lock.json does not match this npm version; installing with npm install --no-save')
    ;({ code, output } = await runNpm(['install', '--no-save', '--loglevel=error']))
  }
  if (code !== 0) throw new Plain(`npm failed: ${npmReason(output)}`)
  writeFileSync(installedFile, lockHash(root))
}

/** Returns the lines of npm's output that contain the reason. @param {string} output */
function npmReason(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*| at \S+ \(.*$/g, '').trim())
    .filter((line) => line !== '' && !/^(A complete log|Run "npm help|\/|errno|syscall)/.test(line))
  const said = lines.filter((line) => !/^code /.test(line)).slice(0, 2)
  return said.join(' ') || lines[0] || 'it said nothing'
}

function checkNode() {
  const wanted = JSON.parse(readFileSync(at('package.json'), 'utf8')).engines.node.replace('>=', '')
  if (!isAtLeast(versions.node, wanted))
    throw new Plain(`Promptdeck needs Node ${wanted} or newer; this is ${versions.node}.`)
}

/** @param {string} version @param {string} wanted */
export function isAtLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  )
  for (let i = 0; i < 3; i++) {
    const difference = (have?.[i] ?? 0) - (want?.[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}

/** @param {string} what @param {() => Promise<void>} job */
async function timed(what, job) {
  const start = Date.now()
  say(`${what} …`)
  await job()
  say(`  done in ${((Date.now() - start) / 1000).toFixed(1)} s`)
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const asked = /** @type {PartName[]} */ (argv.slice(2).filter((name) => name in parts))
  await script(() => ensure(asked.length > 0 ? asked : ['server', 'console']))
}
