import { parseArgs } from 'node:util'
import { race } from './lib/racing.mjs'

const maxShown = 5

const { values } = parseArgs({
  options: {
    lang: { type: 'string', default: 'js' },
    rounds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
})
const startedAt = performance.now()
const { start } = await import(`./adapters/${values.lang}.mjs`)
const adapter = await start()
const { findings, ...tally } = await race(adapter, Number(values.rounds), Number(values.seed))
await adapter.stop()
for (const finding of findings.slice(0, maxShown)) process.stderr.write(`${finding}\n`)
const result = {
  language: values.lang,
  seed: Number(values.seed),
  ...tally,
  findings: findings.length,
  seconds: Math.round((performance.now() - startedAt) / 1000),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exitCode = findings.length === 0 ? 0 : 1
