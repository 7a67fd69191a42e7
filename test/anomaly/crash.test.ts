import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCampaign } from './crash/campaign.ts'

const kills = Number(process.env['CRASH_KILLS'] ?? 50)
const seed = Number(process.env['CRASH_SEED'] ?? 1)

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-crash-'))
})
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

it(`loses nothing acknowledged in ${kills} kills (seed ${seed})`, {
  timeout: kills * 10_000 + 60_000,
}, async () => {
  const { violations, ...figures } = await runCampaign(dataDir, { kills, seed })
  process.stdout.write(`${JSON.stringify({ crash: { seed, ...figures, violations: violations.length } })}\n`)
  expect(violations).toEqual([])
  // The campaign did what it claims.
  expect(figures.runs).toBeGreaterThan(kills * 10)
  expect(figures.resources).toBeGreaterThan(kills)
  expect(figures.frames).toBeGreaterThan(kills)
  expect(figures.unanswered).toBeGreaterThan(0)
  expect(figures.restores).toBeGreaterThan(0)
})
