import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvRow, csvRows } from '../../contract/formats/csv.ts'

const separators = new Set([',', '\r\n', '\n', '\r'])

/** Parses CSV according to RFC 4180: rows of cells, quotes doubled inside quotes. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  for (const [token, quoted] of text.matchAll(/"((?:[^"]|"")*)"?|\r\n|[\s\S]/g)) {
    if (quoted !== undefined) cell += quoted.replaceAll('""', '"')
    else if (separators.has(token)) {
      rows.at(-1)?.push(cell)
      cell = ''
      if (token !== ',') rows.push([])
    } else cell += token
  }
  rows.pop()
  return rows
}

describe('a CSV row', () => {
  it.each([
    ['a line feed', 'one\ntwo', '"one\ntwo"'],
    ['a carriage return', 'one\rtwo', '"one\rtwo"'],
    ['both', 'one\r\ntwo', '"one\r\ntwo"'],
    ['a comma', 'a,b', '"a,b"'],
    ['a quotation mark', 'a"b', '"a""b"'],
    ['=', '=1+1', "'=1+1"],
    ['+', '+1', "'+1"],
    ['-', '-1', "'-1"],
    ['@', '@SUM(A1)', "'@SUM(A1)"],
    ['a tab', '\t=1', '"\'\t\'=1"'],
    ['a leading carriage return', '\r=1', '"\'\r\'=1"'],
    ['a leading line feed', '\n=1', '"\'\n\'=1"'],
    ['a semicolon', 'a;b', '"a;b"'],
    ['a formula after a semicolon', 'a; =1;b', '"a;\' =1;b"'],
    ['a formula in a later line', 'a\n@b', '"a\n\'@b"'],
    ['a space before the formula', '  =1', "'  =1"],
    ['full-width =', '＝1', "'＝1"],
    ['quotes around a formula', '=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
  ])('writes a cell with %s as one cell of text', (_name, value, written) => {
    expect(csvRow(['x', value])).toBe(`x,${written}\r\n`)
  })

  it('leaves numbers, booleans and missing values unchanged', () => {
    expect(csvRow([-1.5, true, null, undefined, 'a - b', {}])).toBe('-1.5,true,,,a - b,{}\r\n')
  })

  it('can be parsed for any text, and no cell begins as a formula, whatever the separator', () => {
    const plain = (rows: string[][]) =>
      rows.map((cells) => cells.map((each) => each.replace(/(^|[;\t\r\n])'/g, '$1')))
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 4 })),
        (rows) => {
          const read = parse(rows.map(csvRow).join(''))
          expect(plain(read)).toEqual(plain(rows))
          for (const cell of read.flat())
            expect(cell).not.toMatch(/^[\t\r\n]|(?:^|[;\t\r\n])\s*[=+\-@＝＋－＠]/)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('of an object contains the named columns in order', () => {
    expect(csvRows(['b', 'a'], [{ a: 1, b: '=2' }, { a: 3 }])).toBe("'=2,1\r\n,3\r\n")
  })
})
