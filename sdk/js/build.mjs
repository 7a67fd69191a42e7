import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'

const root = fileURLToPath(new URL('.', import.meta.url))
const dist = join(root, 'dist')
const run = promisify(execFile)

/** One file per platform and module system: bundlers and browsers load it without following imports. */
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

/** Declarations, once for each module system: which one a file means is decided by the folder it lies in. */
async function declare() {
  const require = createRequire(import.meta.url)
  const tsc = join(require.resolve('typescript/package.json'), '..', 'bin', 'tsc')
  await run(process.execPath, [tsc, '-b', root])
  for (const name of await readdir(join(dist, 'types'), { recursive: true })) {
    if (!name.endsWith('.d.ts')) continue
    const file = join(dist, 'types', name)
    const text = await readFile(file, 'utf8')
    // A consumer finds declarations by the name of what they declare.
    await writeFile(file, text.replace(/(['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
  await cp(join(dist, 'types'), join(dist, 'types-cjs'), { recursive: true })
  await writeFile(join(dist, 'types-cjs', 'package.json'), '{ "type": "commonjs" }\n')
}

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await declare()
await bundle('node')
await bundle('browser')
await Promise.all(['browser', 'node'].map((name) => rm(join(dist, `${name}.tsbuildinfo`))))
await copyFile(join(root, '..', '..', 'LICENSE'), join(root, 'LICENSE'))
