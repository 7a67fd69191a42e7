#!/usr/bin/env node
import { ensure } from './ensure.mjs'
import { bundleFolder } from './lib/build/bundle.mjs'
import { at, script } from './lib/root.mjs'
import { importFile } from './lib/tool.mjs'

/** The command `promptdeck`: builds what is stale in a checkout, and runs server/tools/promptdeck.ts. */
await script(async () => {
  await ensure(process.argv[2] === 'serve' ? ['server', 'console'] : ['server'])
  await importFile(at(bundleFolder, 'promptdeck.js'))
})
