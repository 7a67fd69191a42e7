import { describe, expect, it } from 'vitest'
import { contactSheet } from '../screens/contact-sheet.mjs'
import { describePicture, readOptions } from '../screens/options.mjs'

describe('the options of npm run screens', () => {
  it('take every picture unless pages, a theme or a width are given', () => {
    const { isPartial, themes, widths, wantsPage, wantsPicture } = readOptions([])
    expect({ isPartial, themes, widths }).toEqual({
      isPartial: false,
      themes: ['light', 'dark'],
      widths: [1440, 900],
    })
    expect(wantsPage('overview') && wantsPicture('prompt-edit-viewer-dark-900')).toBe(true)
  })

  it('select pages and single pictures', () => {
    const { isPartial, wantsPage, wantsPicture } = readOptions(['--only', 'overview,prompt-publish'])
    expect(isPartial).toBe(true)
    expect([wantsPage('overview'), wantsPage('prompt', 'prompts'), wantsPage('runs')]).toEqual([
      true,
      true,
      false,
    ])
    const names = [
      'overview-table-dark-900',
      'overview-print',
      'prompt-publish-light-1440',
      'prompt-edit-light-900',
    ]
    expect(names.filter(wantsPicture)).toEqual(names.slice(0, 3))
  })

  it('select a theme and a width', () => {
    const { themes, widths } = readOptions(['--theme', 'dark', '--width', '900'])
    expect({ themes, widths }).toEqual({ themes: ['dark'], widths: [900] })
  })

  it.each([[['--theme', 'blue']], [['--width', '100']], [['--help']]])('refuse %j with the usage', (args) => {
    expect(() => readOptions(args)).toThrow(/^Usage: npm run screens/)
  })
})

it.each([
  ['overview-light-1440', { page: 'overview', state: '', theme: 'light', width: 1440 }],
  ['prompt-edit-viewer-dark-900', { page: 'prompt', state: 'edit-viewer', theme: 'dark', width: 900 }],
  ['overview-print', { page: 'overview', state: 'print', theme: null, width: null }],
])('the picture %s has its page, state, theme and width', (name, expected) => {
  expect(describePicture(name)).toMatchObject(expected)
})

describe('the contact sheet', () => {
  const sheet = contactSheet([
    'overview-light-1440.png',
    'overview-dark-900.png',
    'overview-print.png',
    'runs-empty-dark-900.png',
    'index.html',
  ])

  it('has a column for each theme and width', () => {
    const head = /<thead>(.*)<\/thead>/.exec(sheet)?.[1]
    expect(head).toBe('<tr><th>Page</th><th>State</th><th>light 1440</th><th>dark 900</th></tr>')
  })

  it('has a row for each page and state, with every picture as a link', () => {
    const rows = [...sheet.matchAll(/<tr><th>([\w-]*)<\/th><th>([\w-]*)<\/th>(<td>.*)<\/tr>/g)]
    const links = (cells: string | undefined) =>
      [...(cells ?? '').matchAll(/href="([^"]+)"/g)].map(([, to]) => to)
    expect(rows.map(([, page, state, cells]) => [page, state, links(cells)])).toEqual([
      ['overview', '', ['overview-light-1440.png', 'overview-dark-900.png']],
      ['overview', 'print', ['overview-print.png']],
      ['runs', 'empty', ['runs-empty-dark-900.png']],
    ])
    expect(rows.map(([, , , cells]) => (cells ?? '').match(/<td>/g)?.length)).toEqual([2, 2, 2])
  })
})
