import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CopyOptions, copyStore } from '../../../server/tools/copy/copy-store.ts'
import { nameOf, placeOf } from '../../../server/tools/copy/place.ts'
import { program } from '../../support/command.ts'
import { runTool } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { memoryLogger } from '../store.ts'
import { filesOf, fill } from './copy-support.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()
const folders: string[] = []
const newFolder = (): string => {
  const folder = join(mkdtempSync(join(tmpdir(), 'promptdeck-copy-test-')), 'data')
  folders.push(dirname(folder))
  return folder
}

type Given = Partial<Omit<CopyOptions, 'from' | 'to'>> & { readonly from: string; readonly to: string }
const copy = ({ from, to, ...given }: Given) =>
  copyStore({
    files: null,
    partitionBy: 'month',
    logger: memoryLogger(),
    signal: new AbortController().signal,
    progress: { begin: () => {}, add: () => {}, end: () => {} },
    ...given,
    from: placeOf(from),
    to: placeOf(to),
  })

let source = ''
let overview: unknown
const overviewOf = async (service: TestServer) => {
  const paths = ['runs?limit=100', 'prompts', 'users', 'sessions', 'audit?limit=20']
  return Promise.all(
    paths.map(async (path) => {
      const { status, body, text } = await service.call(`GET /api/${path}`)
      expect(status, text).toBe(200)
      return { path, data: body.data }
    }),
  )
}
beforeAll(async () => {
  source = newFolder()
  const service = await startTestServer({ dataDir: source, env: { DATABASE_URL: '' } })
  await fill(service)
  overview = await overviewOf(service)
  await service.stop()
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('a copy of a data folder to PostgreSQL and back', () => {
  it('has equal rows in every table, the keys and captured texts, and a service continues with it', async () => {
    const before = filesOf(source)
    const url = await server.newDatabase()
    const files = newFolder()
    const to = await copy({ from: source, to: url, files })
    expect(filesOf(source)).toEqual(before)
    expect(to).toMatchObject({ isContinued: false, chain: { status: 'verified' } })
    expect(to.tables.find(({ table }) => table === 'runs')?.rows).toBe(400)
    expect(await server.run(url, 'SELECT id FROM runs_default LIMIT 1')).toEqual([])
    expect(to.tables.find(({ table }) => table === 'run_sessions')?.rows).toBe(4)

    const target = newFolder()
    const back = await copy({ from: url, to: target, files })
    expect(back.chain.status).toBe('verified')
    expect(back.tables).toEqual(to.tables)

    for (const given of [
      { dataDir: files, env: { DATABASE_URL: url } },
      { dataDir: target, env: { DATABASE_URL: '' } },
    ]) {
      const service = await startTestServer(given)
      expect(await overviewOf(service)).toEqual(overview)
      const [run] = (await service.call('GET /api/runs?limit=1')).body.data
      expect((await service.call(`GET /api/runs/${run.id}`)).body.data.output).toMatch(/^answer/)
      // Ids and words continue after those that were copied.
      const created = await service.call('POST /api/prompts', {
        body: { key: 'entirely/new', env: 'dev', content: 'Hi' },
      })
      expect(created.status, created.text).toBe(201)
      expect((await service.call('GET /api/audit/verify')).body.data).toMatchObject({ status: 'verified' })
      await service.stop()
    }
  })

  it('continues after an interruption, and no service uses a part of the data', async () => {
    for (const target of [await server.newDatabase(), newFolder()]) {
      const isDatabase = target.startsWith('postgres:')
      const database = await server.newDatabase()
      const files = newFolder()
      if (!isDatabase) {
        await copy({ from: source, to: database, files })
        // An earlier copy was killed before the store had a snapshot.
        mkdirSync(join(target, 'store', 'run'), { recursive: true, mode: 0o700 })
        await requireTextsOfDatabase(database, files)
      }
      const ends = isDatabase ? { from: source, to: target, files } : { from: database, to: target, files }
      const interruption = new AbortController()
      let rows = 0
      const add = (count: number) => {
        rows += count
        if (rows > 250) interruption.abort(new Error('interrupted'))
      }
      const progress = { begin: () => {}, add, end: () => {} }
      await expect(copy({ ...ends, signal: interruption.signal, progress })).rejects.toThrow('interrupted')
      const started = startTestServer(
        isDatabase
          ? { dataDir: newFolder(), env: { DATABASE_URL: target } }
          : { dataDir: target, env: { DATABASE_URL: '' } },
      )
      await expect(started).rejects.toMatchObject({
        code: 'incomplete',
        message: expect.stringMatching(/A copy into .* has not finished.*promptdeck db copy/),
      })
      const continued = await copy(ends)
      expect(continued.isContinued).toBe(true)
      if (!isDatabase)
        expect(
          Object.keys(filesOf(join(target, 'payloads'))).map((file) => readFileSync(file, 'utf8')),
        ).toEqual(['later'])
      expect(continued.tables.find(({ table }) => table === 'runs')?.rows).toBe(400)
      // A process that was killed after it finished is repeated too.
      expect(await copy(ends)).toEqual(continued)
    }
  })
})

/** Puts a text of a day with a payload file into the database, after a state in which only a part of the file is there. */
async function requireTextsOfDatabase(url: string, files: string): Promise<void> {
  const name = readdirSync(join(files, 'payloads')).find((file) => file.endsWith('.log')) ?? ''
  const day = Date.parse(name.slice(0, -'.log'.length)) / 86_400_000
  await server.run(url, `INSERT INTO payload_days (day, bytes, imported) VALUES (${day}, 9, 9)`)
  await expect(copy({ from: url, to: newFolder(), files })).rejects.toThrow('was interrupted while it put')
  await server.run(url, `CREATE TABLE payloads_of_day PARTITION OF payloads FOR VALUES IN (${day})`)
  await server.run(url, `INSERT INTO payloads (day, start, length, line) VALUES (${day}, 0, 5, 'later')`)
  await server.run(url, 'UPDATE payload_days SET imported = 0')
}

describe('a copy is refused', () => {
  it('into a target with other data, a folder of other files, or a copy of another source', async () => {
    const url = await server.newDatabase()
    await copy({ from: source, to: url })
    await server.run(url, 'UPDATE meta SET value = value + 1')
    await expect(copy({ from: source, to: url })).rejects.toThrow('The target has data already.')
    await expect(copy({ from: url, to: source, files: source })).rejects.toThrow(
      'The target has data already.',
    )

    const other = newFolder()
    await copy({ from: url, to: other, files: source })
    writeFileSync(join(dirname(other), 'notes.txt'), 'mine')
    await expect(copy({ from: url, to: dirname(other), files: source })).rejects.toThrow(/is not empty/)

    await server.run(url, `INSERT INTO meta (key, value) VALUES ('unfinished_copy', 1)`)
    await expect(copy({ from: source, to: url })).rejects.toThrow('an unfinished copy of another source')
    await expect(copy({ from: url, to: newFolder(), files: source })).rejects.toThrow('has not finished')
  })

  it('if a row differs in the end: a row that the copy did not write', async () => {
    const url = await server.newDatabase()
    const interruption = new AbortController()
    const begin = (phase: string) => {
      if (phase === 'comparing') interruption.abort(new Error('interrupted'))
    }
    const progress = { begin, add: () => {}, end: () => {} }
    const ends = { from: source, to: url }
    await expect(copy({ ...ends, signal: interruption.signal, progress })).rejects.toThrow('interrupted')
    await server.run(url, `UPDATE prompts SET name = 'other' WHERE key = 'greet/hello'`)
    await expect(copy(ends)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringMatching(/differs from the source: table prompts, row \["[0-9a-f-]+"\]/),
    })
  })

  it('if something used the source meanwhile', async () => {
    const from = newFolder()
    cpSync(source, from, { recursive: true })
    const recover = ['admin', 'recover', 'admin', '--password', '--data', from]
    const begin = (phase: string) => {
      if (phase === 'comparing') execFileSync(process.execPath, [program, ...recover])
    }
    const progress = { begin, add: () => {}, end: () => {} }
    await expect(copy({ from, to: await server.newDatabase(), progress })).rejects.toThrow(
      /A process used .* during the copy/,
    )

    const [url, files] = [await server.newDatabase(), newFolder()]
    await copy({ from: source, to: url, files })
    const service = await startTestServer({ dataDir: files, env: { DATABASE_URL: url } })
    const back = { from: url, files }
    await expect(copy({ ...back, to: newFolder() })).rejects.toThrow('A service uses the database')
    await service.stop()
    const env = { ...process.env, DATABASE_URL: url }
    const change = (phase: string) => {
      if (phase === 'comparing')
        execFileSync(process.execPath, [program, ...recover.with(-1, files)], { env })
    }
    const changing = copy({ ...back, to: newFolder(), progress: { ...progress, begin: change } })
    await expect(changing).rejects.toThrow('A service used the database during the copy')
  })

  it('between two folders or two databases, without --files, and from a store in use or none', async () => {
    const url = await server.newDatabase()
    await expect(copy({ from: source, to: newFolder() })).rejects.toThrow('Both ends are data folders.')
    await expect(copy({ from: url, to: url })).rejects.toThrow('Both ends are databases.')
    await expect(copy({ from: url, to: newFolder() })).rejects.toThrow('--files')
    await expect(copy({ from: url, to: newFolder(), files: source })).rejects.toThrow('no data of Promptdeck')
    await expect(copy({ from: newFolder(), to: url })).rejects.toThrow('No Promptdeck data found')
    const service = await startTestServer({ dataDir: newFolder(), env: { DATABASE_URL: '' } })
    await expect(copy({ from: service.dataDir, to: url })).rejects.toMatchObject({ code: 'locked' })
    await service.stop()
    expect(() => placeOf('mysql://root:pa55word@host/db')).toThrow(/^Expected a folder, or postgres:/)
    expect(nameOf(placeOf('postgres://me:pa55word@host:5433/db'))).toBe('postgres://host:5433/db')
  })
})

it('the command prints rows and hashes, and ends with 1 after a refusal', async () => {
  const url = await server.newDatabase()
  const run = (...args: string[]) => runTool('promptdeck', ['db', 'copy', ...args])
  const first = await run('--from', source, '--to', url)
  expect(first.stdout).toMatch(/Copied \d+ rows in \d+ tables to postgres:.*\nEvery row is equal\./)
  expect(first.stdout).toMatch(/\n {2}runs +400 [0-9a-f]{64}\n/)
  expect(first.stdout).toContain('The audit log is intact')
  expect(first.status).toBe(0)
  await server.run(url, 'UPDATE meta SET value = value + 1')
  const second = await run('--from', source, '--to', url)
  expect(second).toMatchObject({ status: 1, stderr: expect.stringContaining('The target has data already.') })
  expect((await run('--from', source)).status).toBe(2)
  expect((await run('--from', source, '--to', source)).status).toBe(2)
  expect(existsSync(join(source, 'store'))).toBe(true)
})
