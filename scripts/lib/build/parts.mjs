import { readdirSync, rmSync, statSync } from 'node:fs'
import { at, PlainError } from '../root.mjs'
import { run, runTool, tools } from '../run.mjs'
import { bundleFolder, bundlePrograms } from './bundle.mjs'

const shared = ['package-lock.json', 'tsconfig.base.json']

/**
 * The parts that can be built, with their inputs, expected outputs and build function.
 * @typedef {{ label: string, inputs: readonly string[], outputs: readonly string[], build: () => Promise<void> }} Part
 * @type {Readonly<Record<'server' | 'console' | 'tests' | 'sdk', Part>>}
 */
export const parts = {
  server: {
    label: 'service and desktop',
    inputs: [...shared, 'contract', 'server', 'main', 'scripts/lib/build/bundle.mjs'],
    outputs: [`${bundleFolder}/cli.js`, 'dist/main/index.js'],
    build: async () => {
      await compile(['contract', 'server', 'main'])
      prune(['contract', 'server', 'main'])
      await bundlePrograms()
    },
  },
  console: {
    label: 'console',
    inputs: [...shared, 'contract', 'renderer', 'vite.config.ts', 'scripts/lib/licences.mjs'],
    outputs: ['dist/renderer/index.html', 'dist/renderer/licences.json'],
    build: async () => {
      const { code, output } = await runTool(tools.vite, ['build', '--logLevel', 'warn'])
      if (code !== 0) throw new PlainError(`${output.trim()}\nThe build of the console failed.`)
    },
  },
  tests: {
    label: 'types of the tests',
    inputs: [...shared, 'contract', 'server', 'main', 'renderer', 'test', 'scripts', 'tsconfig.tools.json'],
    outputs: ['dist/test.tsbuildinfo'],
    build: () => compile(['test']),
  },
  sdk: {
    label: 'JavaScript client',
    inputs: [...shared, 'sdk/js/src', 'sdk/js/build.mjs', 'sdk/js/package.json', 'sdk/js/tsconfig.json'],
    outputs: ['sdk/js/dist/node.js', 'sdk/js/dist/browser.js', 'sdk/js/dist/types-cjs/package.json'],
    build: async () => {
      const { code, output } = await run(process.execPath, ['sdk/js/build.mjs'])
      if (code !== 0) throw new PlainError(`${output.trim()}\nThe build of the JavaScript client failed.`)
    },
  },
}

/** @param {readonly string[]} folders */
async function compile(folders) {
  const { code, output } = await runTool(tools.tsc, ['-b', ...folders])
  if (code === 0) return
  const errors = output.match(/error TS\d+/g)?.length ?? 0
  throw new PlainError(`${output.trim()}\nThe type check of ${folders.join(', ')} failed (${errors} errors).`)
}

/**
 * Deletes the compiler's incremental state of a part, so that everything is compiled again.
 * @param {'server' | 'console' | 'tests' | 'sdk'} name
 */
export function clearBuildState(name) {
  const projects = { server: ['contract', 'server', 'main'], console: [], tests: ['test'], sdk: [] }[name]
  for (const folder of projects) rmSync(at(`dist/${folder}.tsbuildinfo`), { force: true })
}

/**
 * Removes emitted files whose source no longer exists: they would still be shipped and run.
 * @param {readonly string[]} folders
 */
function prune(folders) {
  const rules = /** @type {const} */ ([
    [/(\.d)?\.cts(\.map)?$|\.cjs(\.map)?$/, '.cts'],
    [/(\.d)?\.ts(\.map)?$|\.js(\.map)?$/, '.ts'],
  ])
  /** @param {string} path */
  const visit = (path) => {
    for (const entry of readdirSync(at('dist', path), { withFileTypes: true })) {
      const inner = `${path}/${entry.name}`
      if (entry.isDirectory()) visit(inner)
      else {
        const rule = rules.find(([ending]) => ending.test(inner))
        const source = rule && inner.replace(rule[0], rule[1])
        if (source !== undefined && statSync(at(source), { throwIfNoEntry: false }) === undefined)
          rmSync(at('dist', inner))
      }
    }
  }
  for (const folder of folders) if (statSync(at('dist', folder), { throwIfNoEntry: false })) visit(folder)
}
