import { describe, expect, it } from 'vitest'
import { readTree } from '../support/source-tree.ts'
import {
  badReadmes,
  isLongFirstPage,
  machineSpecific,
  skippedTests,
  tooFull,
  tooLong,
  undefinedClasses,
} from './shape.ts'

const files = readTree('')
const topFolders = [
  'contract',
  'server',
  'main',
  'renderer',
  'sdk',
  'sdk/conformance',
  'test',
  'bench',
  'scripts',
]
const file = (path: string, text: string) => ({ path, text })
const ofLines = (count: number) => 'x\n'.repeat(count)

describe('the shape of files', () => {
  it('keeps every file within its limit', () => {
    expect(tooLong(files)).toEqual([])
  })

  it('reports a file over the limit, except migrations', () => {
    const sized = [
      file('server/a.ts', ofLines(251)),
      file('server/b.ts', ofLines(250)),
      file('renderer/a.css', ofLines(300)),
      file('test/server/a.test.ts', ofLines(251)),
      file('test/server/b.test.ts', ofLines(250)),
      file('server/db/migrations/0001_core.ts', ofLines(900)),
      file('docs/long.md', ofLines(900)),
    ]
    expect(tooLong(sized)).toEqual([
      'server/a.ts: 251 lines, at most 250',
      'renderer/a.css: 300 lines, at most 250',
      'test/server/a.test.ts: 251 lines, at most 250',
    ])
  })

  it('keeps every folder within its limit', () => {
    expect(tooFull(files)).toEqual([])
  })

  it('reports a folder over the limit', () => {
    const filled = (folder: string, count: number) =>
      Array.from({ length: count }, (_, index) => file(`${folder}/f${index}.ts`, ''))
    expect(
      tooFull([...filled('server/a', 16), ...filled('server/a/b', 15), file('server/a/README.md', '')]),
    ).toEqual(['server/a: 16 files, at most 15'])
  })

  it('has a short README in every top folder', () => {
    expect(badReadmes(files, topFolders)).toEqual([])
  })

  it('has a README of at most 6 kB', () => {
    const readme = files.find(({ path }) => path === 'README.md')
    expect(isLongFirstPage(readme?.text ?? '')).toBe(false)
    expect(readme).toBeDefined()
    expect(isLongFirstPage('ä'.repeat(3001))).toBe(true)
  })

  it('reports a README that is missing or long', () => {
    const readmes = [file('server/README.md', ofLines(21)), file('contract/README.md', ofLines(20))]
    expect(badReadmes(readmes, ['server', 'contract', 'bench'])).toEqual([
      'server/README.md: 21 lines, at most 20',
      'bench: no README.md',
    ])
  })

  it('contains no path of one machine and no registry', () => {
    expect(machineSpecific(files)).toEqual([])
  })

  it('reports paths and registries', () => {
    // Built at run time, so that this file does not contain the patterns.
    const slash = '/'
    const found = [
      `x = '${slash}home${slash}ann/promptdeck'`,
      `x = "${slash}Users${slash}ann"`,
      `C:${'\\'}Users${'\\'}ann`,
      `see ${slash}root${slash}.npmrc`,
      `"resolved": "https:${slash}${slash}registry.example.org/a.tgz"`,
      `https:${slash}${slash}192.168${'.'}1.7:4873/`,
    ].map((text) => machineSpecific([file('a.ts', text)]).length)
    expect(found).toEqual([1, 1, 1, 1, 1, 1])
    expect(
      machineSpecific([file('a.md', 'GET /api/users, ./build/main, https://example.org/home/ann')]),
    ).toEqual([])
  })

  it('skips no test', () => {
    expect(skippedTests(files)).toEqual([])
  })

  it('reports a skipped test', () => {
    const tests = ['skip', 'only', 'todo'].map((word) => file(`test/${word}.test.ts`, `it.${word}('x')`))
    expect(skippedTests(tests)).toHaveLength(3)
    expect(skippedTests([file('test/a.test.ts', `describe.skipIf(binary === null)('x')`)])).toEqual([])
  })

  it('uses only classes that the CSS module defines', () => {
    expect(undefinedClasses(files)).toEqual([])
  })

  it('reports a class that no CSS module defines', () => {
    const page = `import styles from '../a.module.css'\n<p className={styles['note']}><b className={styles['not']} />`
    expect(
      undefinedClasses([file('renderer/x/a.tsx', page), file('renderer/a.module.css', '.note {}')]),
    ).toEqual(['renderer/x/a.tsx: ../a.module.css has no class not'])
  })
})
