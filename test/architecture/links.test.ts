import { existsSync, readdirSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readTree, top } from '../support/source-tree.ts'
import { anchorOf, brokenLinks, missingSources, unusedFiles } from './links.ts'

const documents = readTree('').filter(({ path }) => path.endsWith('.md'))
const exists = (path: string) => existsSync(`${top}${path}`)
const file = (path: string, text: string) => ({ path, text })

describe('links in documents', () => {
  it('lead to existing files and headings', () => {
    expect(documents.length).toBeGreaterThan(15)
    expect(brokenLinks(documents, exists)).toEqual([])
  })

  it('lead to no other file in the README of a package, because a registry shows it alone', () => {
    const readmes = documents.filter(({ path }) => /^sdk\/(?!conf)\w+\/README\.md$/.test(path))
    expect(readmes).toHaveLength(3)
    for (const readme of readmes) expect(brokenLinks([readme], (path) => path === readme.path)).toEqual([])
  })

  it('are reported if they lead nowhere', () => {
    const files = [
      file(
        'README.md',
        '# One\n[a](docs/a.md#two) [b](docs/a.md#three) [c](docs/none.md) [d](#none) ![e](x.png)',
      ),
      file('docs/a.md', '## Two\n## Two\n[up](../README.md#one) [second](#two-1) [third](#two-2)'),
    ]
    const existing = new Set(files.map(({ path }) => path))
    expect(brokenLinks(files, (path) => existing.has(path))).toEqual([
      'README.md: docs/a.md#three has no such heading',
      'README.md: docs/none.md does not exist',
      'README.md: #none has no such heading',
      'README.md: x.png does not exist',
      'docs/a.md: #two-2 has no such heading',
    ])
  })

  it('are found in every form', () => {
    const forms = [
      '[a](none.md)',
      '![a](none.md)',
      'See [a].\n\n[a]: none.md',
      '<img alt="a" src="none.md">',
      '<a href="none.md">a</a>',
    ]
    for (const text of forms)
      expect(brokenLinks([file('a.md', text)], () => false)).toEqual(['a.md: none.md does not exist'])
  })

  it('are ignored in code, and external ones are not fetched', () => {
    const text = 'See `[a](none.md)` and [b](https://example.org/none).\n```md\n[c](none.md)\n```\n'
    expect(brokenLinks([file('a.md', text)], () => false)).toEqual([])
  })

  it.each([
    ['Limits per caller', 'limits-per-caller'],
    ['`npm test`, and more!', 'npm-test-and-more'],
    ['V1 Encoding – sanitization', 'v1-encoding--sanitization'],
    ['[Who](who.md) may_do', 'who-may_do'],
  ])('the anchor of %j is %j', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})

describe('source files named in documents', () => {
  it('exist', () => {
    const current = documents.filter(({ path }) => !path.endsWith('CHANGELOG.md'))
    expect(missingSources(current, exists)).toEqual([])
  })

  it('are reported if they do not exist', () => {
    const text = 'The test is `test/none.test.ts`, not `test/a.test.ts` or `dist/server/cli.js`.'
    expect(missingSources([file('a.md', text)], (path) => path === 'test/a.test.ts')).toEqual([
      'a.md: test/none.test.ts does not exist',
    ])
  })
})

describe('pictures of documents', () => {
  const folder = 'docs/images'
  const pictures = readdirSync(`${top}${folder}`).map((name) => `${folder}/${name}`)

  it('are at most eight, of at most 150 kB each', () => {
    expect(pictures.length).toBeGreaterThan(0)
    expect(pictures.length).toBeLessThanOrEqual(8)
    expect(pictures.filter((path) => statSync(`${top}${path}`).size > 150_000)).toEqual([])
  })

  it('are each used by a document', () => {
    expect(unusedFiles(documents, pictures)).toEqual([])
  })

  it('are reported if no document uses them', () => {
    const files = [file('docs/a.md', '![b](images/b.png)'), file('README.md', '![c](docs/images/c.png)')]
    const paths = ['docs/images/b.png', 'docs/images/c.png', 'docs/images/d.png']
    expect(unusedFiles(files, paths)).toEqual(['docs/images/d.png'])
  })
})
