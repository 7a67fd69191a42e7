import { existsSync, readdirSync } from 'node:fs'
import { ensure } from './ensure.mjs'
import { at, PlainError, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/** `node scripts/tool.mjs <name> …`: runs server/tools/<name>.ts with the remaining arguments. */
await script(async () => {
  await ensure(['server'])
  const [node = '', , name = '', ...rest] = process.argv
  const file = at(`dist/server/tools/${name}.js`)
  if (!/^[a-z-]+$/.test(name) || !existsSync(file)) {
    const known = existsSync(at('dist/server/tools')) ? readdirSync(at('dist/server/tools')) : []
    const names = known.filter((entry) => entry.endsWith('.js')).map((entry) => entry.slice(0, -3))
    throw new PlainError(`Tool "${name}" not found. Tools: ${names.join(', ')}.`)
  }
  process.argv = [node, file, ...rest]
  await importFile(file)
})
