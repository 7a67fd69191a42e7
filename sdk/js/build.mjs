import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'

/** `npm run build`: rebuilds dist/ from scratch with everything that the package ships. */

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
/** Output folder of the compiler for declarations; shared with its build info and with `npm run check`. */
const declared = join(root, '../../dist/.types/sdk-js')

/**
 * Builds one file per module system for a platform, so that bundlers and browsers load it without further
 * imports.
 */
async function bundle(platform) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: {
        entry: join(root, 'src', platform, 'index.ts'),
        formats: ['es', 'cjs'],
        fileName: (format) => `${platform}.${format === 'es' ? 'js' : 'cjs'}`,
      },
      rolldownOptions: { external: platform === 'node' ? [/^node:/, 'ws'] : [] },
    },
  })
}

/**
 * Writes the declarations once per module system. The nearest package.json decides which system applies to
 * them.
 */
async function declare() {
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json')
  await rm(declared, { recursive: true, force: true })
  await promisify(execFile)(process.execPath, [join(dirname(tsc), 'bin/tsc'), '-b', root])
  for (const name of await readdir(declared, { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const text = await readFile(join(declared, name), 'utf8')
    for (const folder of ['types', 'types-cjs']) {
      const file = join(dist, folder, name)
      await mkdir(dirname(file), { recursive: true })
      // Declarations import each other by the name of the JavaScript file.
      await writeFile(file, text.replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
    }
  }
  await writeFile(join(dist, 'types-cjs/package.json'), '{ "type": "commonjs" }\n')
}

await rm(dist, { recursive: true, force: true })
await declare()
await bundle('node')
await bundle('browser')
await copyFile(join(root, '../../LICENSE'), join(root, 'LICENSE'))
