import { ensure } from './ensure.mjs'
import { bundleFolder, tools } from './lib/build/bundle.mjs'
import { at, PlainError, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/** `node scripts/tool.mjs <name> …`: runs server/tools/<name>.ts with the remaining arguments. */
await script(async () => {
  await ensure(['server'])
  const [node = '', , name = '', ...rest] = process.argv
  if (!tools.includes(name)) throw new PlainError(`Tool "${name}" not found. Tools: ${tools.join(', ')}.`)
  const file = at(bundleFolder, `${name}.js`)
  process.argv = [node, file, ...rest]
  await importFile(file)
})
