import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'

export let server: TestServer

export let scratch: string

export async function download(id: string): Promise<Buffer> {
  const response = await server
    .client()
    .download({ path: '/api/backups/:id/download', method: 'GET' } as never, { params: { id } })
  expect(response.headers.get('content-type')).toBe('application/vnd.sqlite3')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="promptdeck-[\w-]+\.sqlite"$/,
  )
  return Buffer.from(await response.arrayBuffer())
}

/** Flips one bit of a file and restores its timestamps, like a faulty disk. */
export async function flipBit(file: string): Promise<void> {
  const { atime, mtime } = await stat(file)
  const bytes = await readFile(file)
  bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1
  await writeFile(file, bytes)
  await utimes(file, atime, mtime)
}

export const fileOf = (id: string) => join(server.dataDir, 'backups', `${id}.sqlite`)

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'promptdeck-backups-'))
    server = await startTestServer({
      env: { BACKUPS_KEPT: '3' },
      substitutes: { store: { snapshotAtClose: true } },
    })
  })
  afterAll(async () => {
    await server.close()
    await rm(scratch, { recursive: true, force: true })
  })
}
