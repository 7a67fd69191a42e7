import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Query } from '../../../server/db/types.ts'
import { copyAfterCrash } from '../crash.ts'
import { everything, insert, openStore } from '../store.ts'

type Step = {
  readonly kind: 'insert' | 'update' | 'delete' | 'parent' | 'orphan'
  readonly id: number
  readonly text: string
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('insert', 'update', 'delete', 'parent', 'orphan'),
  id: fc.integer({ min: 1, max: 12 }),
  text: fc.string({ unit: 'grapheme', maxLength: 20 }),
})

async function applyStep(q: Query, { kind, id, text }: Step): Promise<unknown> {
  if (kind === 'insert') return insert(q, { id, name: text, n: id * 2 ** 33, x: id / 3 })
  if (kind === 'update')
    return sql`UPDATE items SET name = name || ${text}, n = n + 1 WHERE id >= ${id}`.execute(q)
  if (kind === 'delete') return sql`DELETE FROM parents WHERE id <= ${id}`.execute(q)
  if (kind === 'parent') {
    await sql`INSERT INTO parents (id) VALUES (${id}) ON CONFLICT DO NOTHING`.execute(q)
    return sql`INSERT INTO children (parent) VALUES (${id}), (${id}) RETURNING id`.execute(q)
  }
  return sql`INSERT INTO children (parent) VALUES (${id})`.execute(q)
}

test('replay equals the live state after any transactions, failures, checkpoints and kills', {
  timeout: 60_000,
}, async () => {
  const anyEvent = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        steps: fc.array(anyStep, { minLength: 1, maxLength: 5 }),
        throws: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.constant('checkpoint' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyEvent, { minLength: 3, maxLength: 12 }), async (events) => {
      let store = await openStore()
      const kill = async () => {
        const live = await everything(store.db.read)
        const folder = copyAfterCrash(store.folder)
        await store.db.close()
        store = await openStore({ folder })
        expect(await everything(store.db.read)).toEqual(live)
      }
      for (const event of events) {
        if (event === 'checkpoint') await store.db.checkpoint()
        else if (event === 'kill') await kill()
        else {
          const write = store.db.write(async (tx) => {
            for (const step of event.steps) await tx.attempt(() => applyStep(tx.q, step)).catch(() => {})
            if (event.throws) throw new Error('undone')
          })
          await write.catch(() => {})
        }
      }
      await kill()
      await store.db.close()
    }),
    { numRuns: 8 },
  )
})
