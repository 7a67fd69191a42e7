import { describe, expect, it } from 'vitest'
import { readTree } from '../support/source-tree.ts'
import { badDecisions } from './decisions.ts'

const documents = readTree('docs')
const record = (path: string, title: string) => ({
  path,
  text: `# ${title}\n\nDate: 2026-11-22 · Status: accepted\n\n## Context\n## Decision\n## Alternatives\n## Consequences\n`,
})

describe('architecture decision records', () => {
  it('are numbered, dated, one page, and in the index', () => {
    const index = documents.find(({ path }) => path === 'docs/architecture.md')
    expect(documents.filter(({ path }) => path.startsWith('docs/adr/')).length).toBeGreaterThan(20)
    expect(badDecisions(documents, index?.text ?? '')).toEqual([])
  })

  it('are reported if they are not', () => {
    const good = record('docs/adr/0001-good.md', '1. Good')
    const wrong = record('docs/adr/0003-wrong.md', '3. Wrong')
    const short = { path: 'docs/adr/0003-short.md', text: '# 3. Short\n\n## Context\n' }
    const index = '[1](adr/0001-good.md) [3](adr/0003-short.md) [3](adr/0003-wrong.md)'
    expect(badDecisions([good, wrong], index)).toEqual([
      'docs/adr/0003-wrong.md: the next number is 2',
      'docs/adr/0003-wrong.md: the title begins with "2. "',
    ])
    expect(badDecisions([good, record('docs/adr/0002-b.md', '2. B'), short], index)).toEqual([
      'docs/adr/0003-short.md: no date and status',
      'docs/adr/0003-short.md: the sections are Context, Decision, Alternatives, Consequences',
      'docs/adr/0002-b.md: not in the index',
    ])
    const long = { ...good, text: good.text + '\n'.repeat(80) }
    expect(badDecisions([long], index)).toEqual(['docs/adr/0001-good.md: 88 lines, at most 60'])
  })
})
