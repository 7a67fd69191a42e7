import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import { engineVariables } from '../../support/postgres/databases.ts'
import { runTool } from '../../support/process.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { quiet } from '../audit/audit-support.ts'
import { type Enrolled, enrol, signIn } from './second-factor-support.ts'

let server: TestServer
let edda: Enrolled
const run = async (...args: string[]) => runTool('admin-recover', args, await engineVariables(server.dataDir))

beforeAll(async () => {
  server = await startTestServer()
  edda = await enrol(server, await server.signedIn('admin', 'edda'), new Date())
})
afterAll(() => server.close())

describe('admin recovery on the machine', () => {
  it('is refused while the service runs', async () => {
    const { status, stderr } = await run('edda', '--password', '--data', server.dataDir)
    expect(status).toBe(1)
    expect(stderr).toContain('in use')
  })

  it('names the admins if there are several, and changes nothing without an option', async () => {
    await server.stop()
    const several = await run('--password', '--data', server.dataDir)
    expect(several.status).toBe(1)
    expect(several.stderr).toContain('Active admins: admin, edda.')
    const nothing = await run('edda', '--data', server.dataDir)
    expect(nothing).toMatchObject({ status: 0, stderr: '' })
    expect(nothing.stdout).toContain('Nothing was changed for edda.')
    const unknown = await run('nobody', '--password', '--data', server.dataDir)
    expect(unknown.status).toBe(1)
    expect(unknown.stderr).toContain('There is no user nobody.')
    await server.restart()
    const reply = await signIn(server, { username: 'edda', password: edda.password })
    expect(reply.body.code).toBe('auth.second_factor_required')
  })

  it('does not migrate a folder of an older version without an option', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-older-'))
    const folder = join(dataDir, 'store')
    const options = { folder, dataDir, maxStoreBytes: 2 ** 28, logger: quiet }
    await (await openDb({ ...options, migrations: migrations.slice(0, 30) })).db.close()
    const before = await readdir(dataDir, { recursive: true })
    const { stderr } = await runTool('admin-recover', ['--data', dataDir])
    expect(stderr).toContain('Active admins: none.')
    expect(await readdir(dataDir, { recursive: true })).toEqual(before)
    await rm(dataDir, { recursive: true })
  })

  it('does not create a store in another folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'promptdeck-none-'))
    // The lock of a start that failed.
    await mkdir(join(folder, 'store', 'run'), { recursive: true })
    const { status, stderr } = await run('edda', '--password', '--data', folder)
    expect(status).toBe(1)
    expect(stderr).toContain(`No Promptdeck data found in ${folder}.`)
    expect(await readdir(folder, { recursive: true })).toEqual(['store', 'store/run'])
    await rm(folder, { recursive: true })
  })

  it('removes the second factor alone: the password stays', async () => {
    await server.stop()
    const { status, stdout } = await run('edda', '--second-factor', '--data', server.dataDir)
    expect(status).toBe(0)
    expect(stdout).toContain('Removed the second factor and the passkeys of edda.')
    await server.restart()
    expect((await signIn(server, { username: 'edda', password: edda.password })).status).toBe(200)
  })

  it('sets a temporary password that must be changed, enables the user, and is audited', async () => {
    const other = await server.signedIn('admin', 'other')
    await server.call(`PATCH /api/users/${edda.id}`, { body: { disabled: true } })
    await server.stop()
    const { status, stdout } = await run('edda', '--password', '--data', server.dataDir)
    expect(status).toBe(0)
    const [, password = ''] = /Temporary password of edda: (\S{20})\n/.exec(stdout) ?? []
    await server.restart()
    const reply = await signIn(server, { username: 'edda', password })
    expect(reply.status).toBe(200)
    expect(reply.body.must_change_password).toBe(true)
    expect((await signIn(server, { username: 'edda', password: edda.password })).status).toBe(401)
    expect((await server.call('GET /api/me', { token: other.token })).status).toBe(200)
    const log = await server.call('GET /api/audit?actor=system')
    const entries = log.body.data.map(
      ({ action, resource, key }: Record<string, string>) => `${action} ${resource} ${key}`,
    )
    expect(entries).toContain('password_change user edda')
    expect(entries).toContain('delete second_factor edda')
    expect(log.text).not.toContain(password)
    expect((await server.call('GET /api/audit/verify')).body.data.ok).toBe(true)
  })
})
