import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import type { TestServer } from '../../../support/service.ts'
import { server, setUpService as start } from '../../file-service.ts'

export { server } from '../../file-service.ts'

export let editor: Awaited<ReturnType<TestServer['signedIn']>>

export let logged = ''

const logStream = new Writable({
  write(chunk, _encoding, done) {
    logged += String(chunk)
    done()
  },
})

/** Reads the files below the data folder. */
export async function readFiles(): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = async (path: string) => ({
    path: path.slice(server.dataDir.length + 1),
    bytes: await readFile(path),
  })
  return Promise.all(paths.map(read))
}

/** Returns the files below the data folder that contain the text, including a backup of the store. */
export const filesWith = async (text: string, files?: readonly { path: string; bytes: Buffer }[]) =>
  (files ?? (await readFiles())).filter(({ bytes }) => bytes.includes(text)).map(({ path }) => path)

export const detailOf = async (id: number) => (await server.call(`GET /api/runs/${id}`)).body.data

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  start(
    async () => {
      editor = await server.signedIn('editor', 'finn')
    },
    { substitutes: { logger: pino({ level: 'debug' }, logStream), store: { snapshotAtClose: true } } },
  )
