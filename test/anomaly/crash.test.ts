import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCampaign } from './crash/campaign.ts'

/** Limit of kills per data folder: its data grows with each kill, and with it the time of a start. */
const killsPerFolder = 50
const kills = Number(process.env['CRASH_KILLS'] ?? killsPerFolder)
const seed = Number(process.env['CRASH_SEED'] ?? 1)
const campaigns = Array.from({ length: Math.ceil(kills / killsPerFolder) }, (_, index) => ({
  kills: Math.min(killsPerFolder, kills - index * killsPerFolder),
  seed: seed + index * 1_000_000,
}))

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-crash-'))
})
afterEach(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

it.each(campaigns)(
  'loses nothing acknowledged in $kills kills (seed $seed)',
  {
    timeout: killsPerFolder * 10_000 + 60_000,
  },
  async (campaign) => {
    const { violations, ...figures } = await runCampaign(dataDir, campaign)
    process.stdout.write(
      `${JSON.stringify({ crash: { seed: campaign.seed, ...figures, violations: violations.length } })}\n`,
    )
    expect(violations).toEqual([])
    // The campaign actually reached these numbers.
    expect(figures.runs).toBeGreaterThan(campaign.kills * 10)
    expect(figures.resources).toBeGreaterThan(campaign.kills)
    expect(figures.frames).toBeGreaterThan(campaign.kills)
    expect(figures.unanswered).toBeGreaterThan(0)
    // The first restore is in round 8, before the eleventh kill.
    if (campaign.kills >= 12) {
      expect(figures.restores).toBeGreaterThan(0)
      expect(figures.killsWhileStarting).toBeGreaterThan(0)
      expect(figures.killsWhileRestoring).toBeGreaterThan(0)
      expect(figures.backups).toBeGreaterThan(1)
    }
  },
)
