import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseContentQuery } from '../../../../server/features/runs/content/content-query.ts'
import { day, noon } from '../runs-support.ts'
import { type Archive, openArchive } from './content-support.ts'

const words = ['apple', 'applet', 'banana', 'Cherry', 'date', 'elder', 'x1', 'no']
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

/** Compares each payload, without an index. */
function naive(archive: Archive, query: string): number[] {
  const parts = [...query.matchAll(/"([^"]*)"|([^\s"]+)/g)].map(([, quoted, plain]) => ({
    words: wordsOf(quoted ?? plain ?? ''),
    isQuoted: quoted !== undefined,
  }))
  const matches = (text: string): boolean =>
    parts.every(({ words: phrase, isQuoted }, index) => {
      const last = phrase.at(-1) ?? ''
      const isPrefix = !isQuoted && index === parts.length - 1 && last.length >= 3
      const all = wordsOf(text)
      return all.some((_, at) =>
        phrase.every((word, n) => {
          const found = all[at + n] ?? ''
          return isPrefix && n === phrase.length - 1 ? found.startsWith(word) : found === word
        }),
      )
    })
  return [...archive.rows.values()]
    .filter(({ text }) => matches(text))
    .sort((a, b) => b.created_at - a.created_at || b.id - a.id)
    .map(({ id }) => id)
}

const wordArbitrary = fc.constantFrom(...words)
const textArbitrary = fc
  .array(fc.tuple(wordArbitrary, fc.constantFrom(' ', ', ', '-', '\n', '. ')), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(''))
const queryArbitrary = fc
  .array(
    fc.oneof(
      wordArbitrary,
      fc.constantFrom('app', 'ban', 'x'),
      fc.array(wordArbitrary, { minLength: 1, maxLength: 3 }).map((phrase) => `"${phrase.join(' ')}"`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join(' '))
const changeArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      texts: fc.array(textArbitrary, { minLength: 1, maxLength: 12 }),
      day: fc.integer({ min: 0, max: 3 }),
      age: fc.integer({ min: 0, max: 4 * day }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('index' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'crash' as const) }) },
)

type Change = typeof changeArbitrary extends fc.Arbitrary<infer C> ? C : never

async function apply(archive: Archive, change: Change): Promise<void> {
  if (change.kind === 'add') await archive.add(change.texts, change.day, (n) => noon + change.age + (n % 3))
  else if (change.kind === 'index') await archive.complete()
  else {
    if (change.kind === 'crash') return archive.crash()
    await archive.index.close()
    archive.reopen()
  }
}

describe('the content index', () => {
  it('finds exactly what a comparison of every payload finds, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(changeArbitrary, { minLength: 3, maxLength: 14 }),
        fc.array(queryArbitrary, { minLength: 3, maxLength: 6 }),
        async (changes, queries) => {
          const archive = await openArchive()
          for (const change of changes) await apply(archive, change)
          await archive.complete()
          for (const query of queries) {
            const expected = naive(archive, query)
            expect([query, await archive.find(query)]).toEqual([query, expected])
            expect(await archive.find(query, 'asc')).toEqual([...expected].reverse())
          }
          expect(archive.errors).toEqual([])
        },
      ),
      { numRuns: 25 },
    )
  })

  it('finds words of other scripts, cases and normal forms', async () => {
    const archive = await openArchive()
    const [tokyo, umlaut, mail, long] = await archive.add([
      '私は東京都に住んでいます',
      'Die Größe der STRASSE: ein Ko\u0308nig',
      'write to ada.lovelace+x@example.com, please',
      `${'a'.repeat(60)}b and more`,
    ])
    await archive.complete()
    for (const [query, ids] of [
      ['東京', [tokyo]],
      ['京東', []],
      ['"größe DER strasse"', [umlaut]],
      ['k\u00f6nig', [umlaut]],
      ['lovelace@example', []],
      ['ada.lovelace+x@exam', [mail]],
      [`${'a'.repeat(60)}b`, [long]],
      [`"${'a'.repeat(60)}c"`, []],
      ['!!!', []],
    ] as const)
      expect([query, await archive.find(query)]).toEqual([query, ids])
  })

  it('merges segments of one day, and keeps its results', async () => {
    const archive = await openArchive()
    const filler = Array.from({ length: 3000 }, (_, n) => `w${n % 977}`).join(' ')
    const ids: number[] = []
    for (let batch = 0; batch < 24; batch += 1) {
      ids.push(...(await archive.add(Array.from({ length: 15 }, (_, n) => `${filler} only${batch}x${n}`))))
      await archive.complete()
    }
    const files = await archive.files()
    expect(files.length).toBeGreaterThan(0)
    expect(files.length).toBeLessThanOrEqual(4)
    expect(await archive.find('only3x7')).toEqual([ids[3 * 15 + 7]])
    expect(await archive.find('"w976 w0"')).toHaveLength(360)
    // A day that is over becomes one segment.
    await archive.add(['next day'], 1)
    await archive.written(1)
    expect(await archive.find('only3x7')).toEqual([ids[3 * 15 + 7]])
  })

  it('reads no payload that lacks a pair of the phrase', async () => {
    const archive = await openArchive()
    await archive.add(Array.from({ length: 300 }, (_, n) => `green tea ${n} and black coffee`))
    const [wanted] = await archive.add(['coffee green, then'])
    await archive.complete()
    const query = parseContentQuery('"coffee green"')
    const all = { direction: 'desc', after: null, from: 0, to: 1e15, limit: 1000 } as const
    const candidates = query === null ? [] : await archive.index.candidates(query, all)
    expect(candidates.map(({ id }) => id)).toContain(wanted)
    expect(candidates.length).toBeLessThan(30)
  })
})
