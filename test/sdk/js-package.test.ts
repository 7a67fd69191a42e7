import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../scripts/ensure.mjs'
import { runNpm } from '../../scripts/lib/run.mjs'

const top = fileURLToPath(new URL('../../', import.meta.url))
const packageFolder = join(top, 'sdk/js')
const run = promisify(execFile)

/** A project with only this package installed, as npm would install it. */
let project = ''
let installed = ''
let manifest: { readonly name: string; readonly version: string; readonly license: string }

const node = (args: readonly string[]) => run(process.execPath, [...args], { cwd: project, timeout: 20_000 })
const write = (name: string, text: string) => writeFile(join(project, name), text)

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'promptdeck-sdk-'))
  installed = join(project, 'node_modules/@promptdeck/sdk')
  await mkdir(installed, { recursive: true })
  // Not built by `prepack`, which would remove the files that other tests use at the same time.
  await ensure(['sdk'])
  const { code, output } = await runNpm([
    'pack',
    packageFolder,
    '--ignore-scripts',
    '--pack-destination',
    project,
  ])
  expect(code, output).toBe(0)
  const [tarball = ''] = (await readdir(project)).filter((name) => name.endsWith('.tgz'))
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], { cwd: project })
  manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  await write('package.json', '{ "name": "app", "private": true }')
  await cp(installed, join(project, 'live/node_modules/@promptdeck/sdk'), { recursive: true })
  await symlink(join(top, 'node_modules/ws'), join(project, 'live/node_modules/ws'), 'junction')
}, 120_000)

afterAll(() => rm(project, { recursive: true, force: true }))

describe('the packed files', () => {
  it('contain what a user needs and no sources', async () => {
    const all = await readdir(installed, { recursive: true, withFileTypes: true })
    const files = all.filter((entry) => entry.isFile()).map(({ name }) => name)
    expect(await readdir(installed)).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']),
    )
    expect(files).toEqual(expect.arrayContaining(['node.js', 'node.cjs', 'browser.js', 'browser.cjs']))
    expect(files.filter((name) => /(?<!\.d)\.ts$|\.tsbuildinfo$|\.test\./.test(name))).toEqual([])
  })

  it('have no dependencies, and no install script', () => {
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('scripts.postinstall')
    expect(manifest.license).toBe('Apache-2.0')
  })

  it('have the version that the code reports to the service', async () => {
    const { stdout } = await node(['-p', `require('${manifest.name}').version`])
    expect(stdout.trim()).toBe(manifest.version)
  })

  it('have a changelog entry for their version', async () => {
    expect(await readFile(join(packageFolder, 'CHANGELOG.md'), 'utf8')).toContain(`## [${manifest.version}]`)
  })
})

describe('in Node', () => {
  // Nothing listens on port 9. The wrapped method uses its object, and a number of the run has no JSON form.
  const use = `const client = new Client({ appName: 'app', cacheDir: null, server: 'http://127.0.0.1:9', timings: { requestMs: 50 } })
    client.on('error', console.log)
    const ask = client.wrap(function () { return this.reply }, { provider: 'p', model: 'm', metadata: { id: 7n } })
    console.log(renderTemplate('Hi {{who}} {{at}} {{ids}}', { who: 'you', at: new Date(0), ids: [7n, 10n ** 20n] }), { reply: 'yes', ask }.ask())
    client.close()`
  const used = 'Hi you 1970-01-01T00:00:00.000Z [7,"100000000000000000000"] yes'

  it('can be imported by modules', async () => {
    await write('app.mjs', `import { Client, renderTemplate } from '@promptdeck/sdk'\n${use}`)
    expect((await node(['app.mjs'])).stdout.trim()).toBe(used)
  })

  it('can be required by CommonJS', async () => {
    await write('app.cjs', `const { Client, renderTemplate } = require('@promptdeck/sdk')\n${use}`)
    expect((await node(['app.cjs'])).stdout.trim()).toBe(used)
  })

  it.skipIf(typeof WebSocket === 'function')('reports a missing WebSocket', async () => {
    await write(
      'bare.mjs',
      `import { Client } from '@promptdeck/sdk'
       const client = new Client({ appName: 'app', cacheDir: null })
       await client.watch().catch(({ code, message }) => console.log(code, message))`,
    )
    const { stdout } = await node(['bare.mjs'])
    expect(stdout).toMatch(/^Invalid .*npm install ws/)
    await mkdir(join(project, 'node_modules/ws'))
    await write('node_modules/ws/index.js', 'throw new Error("Dynamic require is not supported")')
    expect((await node(['bare.mjs'])).stdout).toMatch(/^Invalid .*Dynamic require/)
    await rm(join(project, 'node_modules/ws'), { recursive: true })
  })

  it('lets an app exit that never closes its client', async () => {
    // Nothing listens on port 9: all timers are pending when the app is done.
    await write(
      'live/app.mjs',
      `import { Client } from '@promptdeck/sdk'
       const client = new Client({ appName: 'app', cacheDir: null, server: 'http://127.0.0.1:9', timings: { requestMs: 300 } })
       client.reportRun({ provider: 'p', model: 'm', latency_ms: 1, status: 'ok' })
       await client.watch(['greet'])
       await client.getPrompt('greet').catch(({ code }) => console.log(code))
       await client.flush()
       console.log('done')`,
    )
    expect((await node(['live/app.mjs'])).stdout).toBe('Unavailable\ndone\n')
  })

  it('ends with its app, even if calls are not awaited or the service asked for an hour', async () => {
    await write(
      'live/away.mjs',
      `import { createServer } from 'node:http'
       import { Client } from '@promptdeck/sdk'
       const busy = (_, reply) => reply.writeHead(429, { 'retry-after': 3600 }).end()
       const service = createServer(busy).listen(0, '127.0.0.1', async () => {
         const server = 'http://127.0.0.1:' + service.address().port
         const make = () => new Client({ appName: 'app', cacheDir: null, server, timings: { requestMs: 300 } })
         const waiting = make()
         waiting.reportRun({ provider: 'p', model: 'm', latency_ms: 1, status: 'ok' })
         const closing = make()
         closing.watch()
         closing.prefetch()
         console.log(await closing.close(), await waiting.flush())
         service.close()
       })`,
    )
    expect((await node(['live/away.mjs'])).stdout).toBe('0 1\n')
  })
})

describe('in a browser', () => {
  it('is a separate file without Node code', async () => {
    for (const name of ['browser.js', 'browser.cjs']) {
      const text = await readFile(join(installed, 'dist', name), 'utf8')
      expect(text).not.toMatch(/\bnode:|\brequire\(|\bimport\s*\(|\bfrom\s*['"]|process\./)
    }
  })

  it('is chosen by a bundler', async () => {
    await write(
      'page.js',
      `import { Client } from '@promptdeck/sdk'\nglobalThis.client = new Client({ appName: 'page' })`,
    )
    const bundled = await build({
      root: project,
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: false, rolldownOptions: { input: join(project, 'page.js') } },
    })
    const text = JSON.stringify(bundled)
    expect(text).toContain("clientType: 'browser'".replaceAll("'", '\\"'))
    expect(text).not.toContain('node:')
  })
})

describe('in TypeScript', () => {
  const source = `
    import { Client, PromptdeckError, renderTemplate, type Prompt, type Run, type Update } from '@promptdeck/sdk'
    interface Prompts { greet: { who: string; mood?: string }; bye: Record<string, never> }
    const client = new Client<Prompts>({ appName: 'app', token: process.env['TOKEN'], timings: { requestMs: 1_000 } })
    async function all(): Promise<void> {
      const prompt: Prompt<'greet'> = await client.getPrompt('greet')
      const key: 'greet' = prompt.key
      const text: string = await client.render('greet', { who: 'you' })
      // @ts-expect-error there is no such prompt
      await client.getPrompt('nope')
      // @ts-expect-error it takes who
      await client.render('greet', { whom: 'you' })
      const stop: () => void = client.on('update', (update: Update) => update.previousVersion)
      client.on('error', ({ error }) => error instanceof PromptdeckError && error.code === 'NotFound')
      // @ts-expect-error there is no such event
      client.on('nope', () => undefined)
      const run: Run = { provider: 'p', model: 'm', latency_ms: 1, status: 'ok' }
      // @ts-expect-error a run has a status
      client.reportRun({ provider: 'p', model: 'm', latency_ms: 1 })
      const id: string = client.reportRun(run)
      const call: (question: string) => Promise<{ tokens: number }> = client.wrap(
        async (question: string) => ({ tokens: question.length }),
        { provider: 'p', model: 'm', usage: (result) => ({ output_tokens: result.tokens }) },
      )
      const unsent: number = await client.close()
      console.log(key, text, stop, id, call, unsent, renderTemplate('Hi'))
    }
    const loose = new Client({ appName: 'app' })
    void loose.render('anything', { at: 'all' })
    void all()`

  const compile = async (file: string, settings: object) => {
    await write(file, source)
    await write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          target: 'es2022',
          lib: ['es2022'],
          skipLibCheck: false,
          types: ['node'],
          typeRoots: [join(top, 'node_modules/@types')],
          exactOptionalPropertyTypes: true,
          ...settings,
        },
        files: [file],
      }),
    )
    const { stdout } = await node([join(top, 'node_modules/typescript/bin/tsc'), '-p', '.']).catch(
      (error: { stdout: string }) => error,
    )
    return stdout
  }

  it('has types for modules', async () => {
    expect(await compile('app.mts', { module: 'nodenext' })).toBe('')
  })
  it('has types for CommonJS', async () => {
    expect(await compile('app.cts', { module: 'nodenext' })).toBe('')
  })
  it('has types for bundlers', async () => {
    const settings = { module: 'esnext', moduleResolution: 'bundler', customConditions: ['browser'] }
    expect(await compile('app.ts', settings)).toBe('')
  })
})
