import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyStartedFolder } from '../support/empty-store/copy.ts'
import { cli, runService, type ServiceProcess, spawnService } from '../support/process.ts'
import { startTestServer } from '../support/service.ts'

const programs = dirname(cli)

let root: string
let service: ServiceProcess
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'promptdeck-start-'))
  service = await spawnService({ DATA_DIR: join(root, 'running') }, { isFirstStart: true })
})
afterAll(async () => {
  await service.stop()
  await rm(root, { recursive: true, force: true })
})

/** Returns a data folder in which a service has started before. */
async function startedFolder(name: string): Promise<string> {
  const folder = join(root, name)
  await copyStartedFolder(folder)
  return folder
}

/** Returns the files that a process loaded, of which V8 wrote the coverage. */
async function loadedFiles(folder: string): Promise<string[]> {
  const reports = await Promise.all(
    (await readdir(folder)).map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8'))),
  )
  const urls: string[] = reports.flatMap(({ result }) => result.map(({ url }: { url: string }) => url))
  return urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
}

async function filesWith(text: string, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).map((name) => join(folder, name))
  const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return files.filter((_, index) => contents[index]?.includes(text))
}

/** Checks that a refused start prints a short reason without a stack, and exits. */
async function refused(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runService(env)
  expect(code).not.toBe(0)
  expect(stdout).toBe('')
  expect(stderr).not.toMatch(/\n\s+at /)
  return stderr
}

describe('the service as a process', () => {
  it('prints its URL once it serves requests', async () => {
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
  })
  it('exits with 0 after a stop request, and loads nothing of PostgreSQL without DATABASE_URL', async () => {
    const coverage = join(root, 'coverage')
    const other = await spawnService({ DATA_DIR: join(root, 'stopped'), NODE_V8_COVERAGE: coverage })
    expect(await other.stop()).toBe(0)
    const loaded = await loadedFiles(coverage)
    const withPostgres = await filesWith('pg_advisory_xact_lock', programs)
    expect(loaded).toContain(cli)
    expect(withPostgres).toHaveLength(1)
    expect(loaded.filter((file) => withPostgres.includes(file) || /node_modules\/pg/.test(file))).toEqual([])
  })
  it('stops cleanly when its terminal is closed', async () => {
    const folder = join(root, 'hangup')
    const { child } = await spawnService({ DATA_DIR: folder })
    child.kill('SIGHUP')
    await once(child, 'exit')
    expect(await readdir(join(folder, 'store', 'run'))).toEqual([expect.stringMatching(/^owner/)])
  })
  it('refuses a port in use', async () => {
    const { port } = new URL(service.url)
    expect(await refused({ DATA_DIR: await startedFolder('port'), PORT: port })).toMatch(
      `Port ${port} on 127.0.0.1 is in use`,
    )
  })
  it('refuses a folder that another process serves, and prints its URL', async () => {
    expect(await refused({ DATA_DIR: join(root, 'running') })).toContain(service.url)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
  })
  it('refuses arguments', async () => {
    const folder = join(root, 'arguments')
    const { code, stdout, stderr } = await runService({ DATA_DIR: folder }, { args: ['--port', '9000'] })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^Unknown argument "--port"\. .*PORT=9000/)
    expect(existsSync(folder)).toBe(false)
  })
  it('refuses a data folder that is a file or cannot be created', async () => {
    const file = join(root, 'a-file')
    await writeFile(file, 'x')
    expect(await refused({ DATA_DIR: file })).toMatch(`${file} cannot be used`)
    const nowhere = process.platform === 'linux' ? '/proc/nowhere' : join(file, 'x')
    expect(await refused({ DATA_DIR: nowhere })).toMatch(`${nowhere} cannot be used`)
  })
  it('refuses a damaged store and does not change it', async () => {
    const folder = await startedFolder('damaged')
    for (const name of await readdir(join(folder, 'store'))) {
      if (name !== 'run' && !name.includes('owner')) await writeFile(join(folder, 'store', name), 'damaged')
    }
    const before = (await readdir(join(folder, 'store'))).filter((name) => name !== 'owner.json')
    expect(await refused({ DATA_DIR: folder })).toMatch(/restore|backup|damaged/i)
    expect(await readdir(join(folder, 'store'))).toEqual(expect.arrayContaining(before))
  })
  it('reports in one line that too few files may be open, and changes nothing', async () => {
    const folder = join(root, 'files')
    for (const openFiles of [24, 500]) {
      const { code, stdout, stderr } = await runService({ DATA_DIR: folder }, { openFiles })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr.trim().split('\n')).toEqual([
        `This process may open only ${openFiles} files at a time (EMFILE); Promptdeck needs 512 to start and 4096 under load. Raise the limit (ulimit -n 4096, or LimitNOFILE=4096 in a systemd unit), then start again.`,
      ])
    }
    expect(existsSync(folder)).toBe(false)
  })
  it('refuses to listen off loopback with a default password', async () => {
    const reason = await refused({ DATA_DIR: await startedFolder('lan'), HOST: '0.0.0.0', SERVICE_TOKEN: '' })
    expect(reason).toMatch(/default admin password/)
    expect(reason).toMatch(/default service token/)
    expect(reason).toMatch(/ALLOW_INSECURE_LAN/)
  })
  it('lists every mistake of the configuration at once', async () => {
    const reason = await refused({
      DATA_DIR: join(root, 'config'),
      PORT: '99999',
      LOG_LEVEL: 'loud',
      MAX_STORE_MB: 'lots',
      TRUSTED_PROXIES: '10.0.0.0/8,nowhere',
    })
    for (const name of ['PORT', 'LOG_LEVEL', 'MAX_STORE_MB', 'TRUSTED_PROXIES'])
      expect(reason).toContain(name)
  })
  it('refuses a host that is not of this machine', async () => {
    expect(await refused({ DATA_DIR: await startedFolder('host'), HOST: 'nowhere.invalid' })).toMatch(/HOST/)
  })
})

describe('a closed service', () => {
  it('leaves no database in memory', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const bytes = () => {
      collectGarbage()
      return process.memoryUsage().arrayBuffers
    }
    // The files before this one in the process may still be releasing theirs.
    let before = bytes()
    await expect
      .poll(() => {
        const last = before
        before = bytes()
        return last - before
      })
      .toBeLessThan(1024 * 1024)
    for (let round = 0; round < 2; round += 1) {
      const server = await startTestServer({ env: { MAX_STORE_MB: '64' } })
      expect(bytes()).toBeGreaterThan(before + 64 * 1024 * 1024)
      await server.close()
    }
    await expect.poll(bytes).toBeLessThan(before + 64 * 1024 * 1024)
  })
})
