import { Missing } from './adapters/tool.mjs'
import { runCase } from './harness.mjs'
import { loadCases } from './lib/cases.mjs'
import { race } from './lib/racing.mjs'
import { searchClients } from './lib/verification.mjs'
import { sleep } from './lib/waiting.mjs'

const languages = ['js', 'browser', 'python', 'java']
/** Number of concurrent cases per adapter; cases mostly wait. */
const concurrentCases = 4
/** Number of languages tested concurrently, for the same reason. */
const concurrentLanguages = 2
/** Time for closed clients to release their timers and sockets. */
const releaseMs = 10_000
/** Race test that runs with the cases; `races.mjs` runs more rounds with other seeds. */
const races = {
  name: 'races: after any order of events, the client serves and has announced the served version',
  rounds: 64,
  seed: 1,
}

const log = (text) => process.stdout.write(`${text}\n`)

/** Parses `run.mjs [language…] [--case <text>] [--verbose]`. */
function readArguments(args) {
  const chosen = []
  const options = { text: '', isVerbose: false }
  const list = [...args]
  while (list.length > 0) {
    const argument = list.shift()
    if (argument === '--case') options.text = list.shift() ?? ''
    else if (argument === '--verbose') options.isVerbose = true
    else if (languages.includes(argument)) chosen.push(argument)
    else throw new Error(`Unknown argument ${argument}; languages are ${languages.join(', ')}`)
  }
  return { ...options, chosen: chosen.length > 0 ? chosen : languages }
}

async function concurrently(items, workers, work) {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: workers }, worker))
}

/**
 * Runs all cases in one language. @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
async function runAll(language, cases, { text, isVerbose }) {
  const tally = { passed: 0, failed: 0, skipped: 0 }
  const { start } = await import(`./adapters/${language}.mjs`)
  let adapter
  try {
    adapter = await start()
  } catch (error) {
    const isMissing = error instanceof Missing
    log(
      `${language}: ${isMissing ? `ALL ${cases.length} CASES SKIPPED: ${error.message}` : `FAILED to start: ${error.message}`}`,
    )
    return { ...tally, [isMissing ? 'skipped' : 'failed']: cases.length }
  }
  const startedAt = performance.now()
  try {
    const has = await abilities(adapter)
    const canRun = ({ needs = [] }) => needs.every((need) => has.has(need))
    const runnable = cases.filter(canRun)
    tally.skipped = cases.length - runnable.length
    await concurrently(runnable, concurrentCases, async (testCase) => {
      // A case that ends the process needs one of its own.
      const isLast = testCase.needs?.includes('process') === true
      const own = isLast ? await start() : adapter
      const result = await runCase(testCase, own)
      if (isLast) await own.stop()
      tally[result.passed ? 'passed' : 'failed'] += 1
      if (!result.passed) {
        const step =
          result.step === null
            ? 'at the end'
            : `step ${result.step} ${JSON.stringify(testCase.steps[result.step - 1])}`
        log(`${language}: FAILED ${testCase.name}\n  ${step}\n  ${result.reason}`)
      } else if (isVerbose) log(`${language}: ok ${testCase.name}`)
    })
    if (races.name.includes(text)) {
      const { findings } = await race(adapter, races.rounds, races.seed)
      tally[findings.length === 0 ? 'passed' : 'failed'] += 1
      for (const finding of findings) log(`${language}: FAILED ${races.name}\n  ${finding}`)
    }
    const leftBehind = await leftovers(adapter)
    if (leftBehind !== null) {
      tally.failed += 1
      log(`${language}: FAILED closed clients still hold ${leftBehind}`)
    }
    if (tally.failed > 0 && adapter.log !== '')
      log(`${language}: the adapter logged\n${adapter.log.slice(-4000)}`)
  } catch (error) {
    tally.failed += 1
    log(`${language}: FAILED ${error.message}`)
  } finally {
    await adapter.stop()
  }
  const { passed, failed, skipped } = tally
  log(
    `${language}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  return tally
}

/** Returns the features a case may require: those of the adapter and of its platform. */
async function abilities(adapter) {
  const { features } = await adapter.request('hello')
  const isPage = adapter.origin !== null
  return new Set([
    ...features,
    ...(isPage ? ['page'] : ['user-agent', 'tls', 'process']),
    ...(process.platform === 'win32' ? [] : ['posix']),
  ])
}

/** Returns the timers and sockets that closed clients still hold, as text; null if there are none. */
async function leftovers(adapter) {
  const giveUpAt = Date.now() + releaseMs
  for (;;) {
    const { timers_or_threads, sockets } = await adapter.request('stats')
    if (timers_or_threads === 0 && sockets === 0) return null
    if (Date.now() > giveUpAt) return JSON.stringify({ timers_or_threads, sockets })
    await sleep(100)
  }
}

/** Returns false if the sources of a client contain code that turns off the verification of certificates. */
function isVerificationOn() {
  const { findings, files } = searchClients()
  for (const finding of findings) log(`FAILED this turns off verification: ${finding}`)
  log(`verification: ${files} files searched, ${findings.length} turn it off`)
  return files > 0 && findings.length === 0
}

const options = readArguments(process.argv.slice(2))
const cases = loadCases().filter(({ name }) => name.includes(options.text))
const tallies = {}
await concurrently(options.chosen, concurrentLanguages, async (language) => {
  tallies[language] = await runAll(language, cases, options)
})
const isVerified = isVerificationOn()
log(JSON.stringify(Object.fromEntries(options.chosen.map((language) => [language, tallies[language]]))))
const hasFailed = Object.values(tallies).some(({ failed }) => failed > 0)
const isSkipped = Object.values(tallies).some(({ passed, skipped }) => passed === 0 && skipped > 0)
const isNothing = cases.length === 0 && !races.name.includes(options.text)
process.exitCode = hasFailed || !isVerified || isNothing || (isSkipped && process.env.CI === 'true') ? 1 : 0
