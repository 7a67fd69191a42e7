import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { log, reopen, setUpLog } from '../run-log.ts'
import { day, noon } from '../runs-support.ts'
import { filters, grouping, report, statsQuery } from './arbitraries.ts'
import { dropUndefined, expectAllGroups, expectStats, fill, readPages } from './expectations.ts'
import { matches, newestFirst } from './model.ts'

setUpLog()

describe('compared with a reference that scans every run', () => {
  test('lists, totals and statistics match under any filters, before and after compaction and retention', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { minLength: 1, maxLength: 60 }),
        fc.array(filters, { minLength: 4, maxLength: 4 }),
        fc.array(statsQuery, { minLength: 4, maxLength: 4 }),
        fc.array(grouping, { minLength: 2, maxLength: 2 }),
        fc.integer({ min: 1, max: 79 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
        async (reports, lists, queries, groupings, days, isFromRows, limit) => {
          // Without rows, statistics come from roll-ups wherever these can answer.
          await reopen(isFromRows ? {} : { maxExactRuns: 0 })
          let all = await fill(log, reports)
          const expectAgreement = async () => {
            for (const list of lists) {
              const expected = all.filter((run) => matches(run, list))
              const down = await readPages(log, dropUndefined(list), '-created_at', limit)
              expect(down.seen).toEqual(expected)
              expect(down.totals).toEqual([expected.length])
              const up = await readPages(log, dropUndefined(list), 'created_at', limit)
              expect(up.seen).toEqual([...expected].reverse())
            }
            for (const query of queries) await expectStats(log, all, dropUndefined(query))
            await expectStats(log, all, {})
            await expectAllGroups(log, all, queries, groupings, isFromRows)
          }
          await expectAgreement()
          await log.runs.maintain()
          await expectAgreement()
          log.settings = { ...log.settings, runRetentionDays: days }
          await log.runs.maintain()
          const oldest = noon - days * day
          all = all.filter((run) => Date.parse(run.created_at) >= oldest)
          await expectAgreement()
          all = [...all, await log.add({ ref_key: 'late', created_at: new Date(oldest).toISOString() })].sort(
            newestFirst,
          )
          await expectAgreement()
          expect(log.errors).toEqual([])
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 15), endOnFailure: false },
    )
  }, 120_000)
})
