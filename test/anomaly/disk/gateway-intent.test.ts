import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { startGateway } from '../../server/gateway/gateway-support.ts'
import { createFaults, isHeld, setFault } from '../../support/disk-faults.mjs'

const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] }

it('a model call is sent to its provider when its intent is on the disk, and not before', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-intent-'))
  const faults = await createFaults(join(dataDir, 'store'))
  const gateway = await startGateway({ dataDir })
  try {
    setFault(faults, 'journal.sync', 'HOLD')
    const calling = gateway.call('openai/v1/chat/completions', hello)
    await vi.waitFor(() => expect(isHeld(faults, 'journal.sync')).toBe(true))
    // The service handles other requests meanwhile, and its provider accepts connections in the same process.
    for (let request = 0; request < 20; request += 1)
      expect(await fetch(`${gateway.server.url}/health`)).toMatchObject({ status: 200 })
    expect(gateway.models.seen).toEqual([])

    setFault(faults, 'journal.sync', null)
    const reply = await calling
    expect(reply.status).toBe(200)
    expect(gateway.models.seen).toHaveLength(1)
    expect(await gateway.run(reply.headers.get('promptdeck-run-id'))).toMatchObject({ status: 'ok' })
  } finally {
    setFault(faults, 'journal.sync', null)
    await gateway.close()
    await rm(dataDir, { recursive: true })
  }
})
