import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { answerCommand } from '../../support/command.ts'
import { type LanServer, type LanServerOptions, rightCode, startLanServer } from '../../support/lan/server.ts'

/** Folder of the stored servers. */
export let config = ''

const servers: LanServer[] = []

export const start = async (options?: LanServerOptions): Promise<LanServer> => {
  const server = await startLanServer(options)
  servers.push(server)
  return server
}

export const stored = async () => JSON.parse(await readFile(join(config, 'servers.json'), 'utf8'))

export const isStored = () =>
  readFile(join(config, 'servers.json')).then(
    () => true,
    () => false,
  )

/** The arguments that replace all questions. */
export const given = (server: LanServer) => [
  '--code',
  rightCode,
  '--fingerprint',
  server.fingerprint,
  '--name',
  'laptop',
]

/** Pairs in this process: everything is given, nobody is asked. */
export const pairIn = (server: LanServer, ...more: readonly string[]) =>
  answerCommand(['pair', server.address, ...given(server), ...more], { config })

/**
 * Makes an empty folder of stored servers before each test of the calling file. Closes the servers and removes
 * the folder after the test.
 */
export function setUpFolder(): void {
  beforeEach(async () => {
    config = await mkdtemp(join(tmpdir(), 'promptdeck-command-'))
  })
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()))
    await rm(config, { recursive: true, force: true })
  })
}
