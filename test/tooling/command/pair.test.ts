import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../sdk/conformance/lib/certificates.mjs'
import { fingerprintWords } from '../../../server/lan/words.ts'
import { answerCommand, spawnCommand } from '../../support/command.ts'
import { deviceToken, rightCode } from '../../support/lan/server.ts'
import { config, given, isStored, setUpFolder, start, stored } from './pair-support.ts'

setUpFolder()

describe('promptdeck pair', () => {
  it('pairs in a script, waits for approval, and stores the server for this user only', async () => {
    const server = await start()
    const running = spawnCommand(['pair', server.address, ...given(server), '--json'], { config })
    await server.requested
    server.answer('approved')
    const ended = await running
    expect(ended).toMatchObject({
      code: 0,
      err: expect.stringContaining('Waiting for an admin to approve "laptop"'),
    })
    expect(ended.err).toContain((await fingerprintWords(server.fingerprint)).join(' '))
    expect(JSON.parse(ended.out)).toMatchObject({
      name: 'studio',
      address: server.origin,
      fingerprint: server.fingerprint,
    })
    expect(ended.out + ended.err).not.toContain(deviceToken)
    const file = join(config, 'servers.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await stored()).toMatchObject({
      current: null,
      servers: [
        {
          name: 'studio',
          address: server.origin,
          token: deviceToken,
          fingerprint: server.fingerprint,
          kind: 'cli',
          ca: expect.stringContaining('BEGIN CERTIFICATE'),
        },
      ],
    })
    expect(server.received[0]).toMatchObject({
      path: '/api/pair',
      body: { code: rightCode, name: 'laptop', kind: 'cli' },
    })
  })

  it('takes secret and fingerprint from the link of the admin’s page', async () => {
    const server = await start()
    server.answer('approved')
    const fp = server.fingerprint.replaceAll(':', '').toLowerCase()
    const link = `${server.origin}/pair#secret=one-time-secret&fp=${fp}`
    const ended = await spawnCommand(['pair', link, '--kind', 'sdk', '--name', 'Billing'], { config })
    expect(ended).toMatchObject({ code: 0 })
    expect(server.received[0]).toMatchObject({
      body: { secret: 'one-time-secret', name: 'Billing', kind: 'sdk' },
    })
    const deep = `promptdeck://pair?address=${server.address}&secret=one-time-secret&fp=${fp}`
    expect(await answerCommand(['pair', deep], { config })).toMatchObject({ code: 0 })
    expect((await stored()).servers).toHaveLength(1)
  })

  it('asks a person to compare, then for the code', async () => {
    const server = await start()
    server.answer('approved')
    const ended = await answerCommand(['pair', server.address], { config }, ['yes', rightCode])
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('Paired with studio') })
    expect(ended.questions).toEqual([expect.stringContaining('(yes/no)'), expect.stringContaining('Code')])
    expect(ended.err).toContain(`Fingerprint  ${server.fingerprint}`)
    expect(ended.err).toContain(`Words        ${(await fingerprintWords(server.fingerprint)).join(' ')}`)
    expect(ended.err).toContain('CA           Promptdeck studio')
  })

  it('sends nothing if the person does not confirm', async () => {
    const server = await start()
    for (const answer of ['no', '', 'yes please']) {
      const ended = await answerCommand(['pair', server.address], { config }, [answer])
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('cancelled') })
    }
    expect(server.received).toEqual([])
    expect(await isStored()).toBe(false)
  })

  it('shows no control characters of another machine', async () => {
    const server = await start({ announced: await createAuthority('Evil \u001b[2Jname') })
    const ended = await answerCommand(['pair', server.address], { config }, ['no'])
    expect(ended.err).not.toContain('\u001b')
  })
})
