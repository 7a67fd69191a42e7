import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { writeYamlList } from '../../../server/resources/yaml-list.ts'

async function written(items: readonly Readonly<Record<string, unknown>>[]): Promise<unknown> {
  async function* stream() {
    yield* items
  }
  let text = ''
  for await (const chunk of writeYamlList('agents', stream())) text += chunk
  return parse(text)
}

/** Text that the library quotes, because it ends in a tab, and that is long enough for several lines. */
const longQuoted = `${'---\n'.repeat(8)} \n---\nkey: x\n\t`

describe('a YAML export', () => {
  it('without items contains an empty list', async () => {
    expect(await written([])).toEqual({ format: 'promptdeck', agents: [] })
  })

  it.each(['a\n\n', 'a\nb\u2028c\nd', 'a\u2029b', '\n', ' a\n b', 'a \n\n\n', ' \n', ' \n \n', longQuoted])(
    'keeps %j in every position',
    async (content) => {
      const items = [
        { content, key: 'a' },
        { key: 'b', content },
      ]
      expect(await written(items)).toEqual({ format: 'promptdeck', agents: items })
    },
  )

  it('keeps every text', async () => {
    const line = fc.constantFrom('---', 'key: x', '', ' ', '#', '- a', '\u2028', '\u2029', 'text', '"', '\t')
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
        const items = [
          { key: 'a', content: lines.join('\n') },
          { key: 'b', steps: lines },
        ]
        expect(await written(items)).toEqual({ format: 'promptdeck', agents: items })
      }),
    )
  })
})
