import { describe, expect, it } from 'vitest'
import { commandArguments } from '../../../main/lib/command.ts'
import { linkInArguments, pathOfLink } from '../../../main/page/links.ts'
import { readTree } from '../../support/source-tree.ts'

/** The paths of all pages in the manifests of the console, with a row if the page can show one. */
const consolePaths = readTree('renderer/features')
  .filter(({ path }) => path.endsWith('.resource.ts'))
  .flatMap(({ text }) => [...text.matchAll(/^ {6}path: '(\/[a-z-]+)(\/(?:\{-)?\$id\}?)?'/gm)])
  .map(([, page = '', row]) => (row === undefined ? page : `${page}/x1`))

describe('links', () => {
  it.each([
    ['promptdeck://runs', '/runs'],
    ['promptdeck://runs/', '/runs'],
    ['promptdeck://runs/123', '/runs/123'],
    ['promptdeck://audit/42/', '/audit/42'],
    [
      'promptdeck://users/019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
      '/users/019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
    ],
    ['promptdeck://workspaces/team-blue', '/workspaces/team-blue'],
    ['promptdeck://clients', '/clients'],
    ['promptdeck://prompts/019aa5b2', '/prompts/019aa5b2'],
    ['promptdeck://playground', '/playground'],
    ['promptdeck://agents/019aa5b2', '/agents/019aa5b2'],
    ['promptdeck://workflows', '/workflows'],
    ['promptdeck://providers', '/providers'],
    ['promptdeck://settings', '/settings'],
    ['promptdeck://profile', '/profile'],
  ])('%s opens %s', (link, path) => {
    expect(pathOfLink(link)).toBe(path)
  })

  it('open every page of the console', () => {
    expect(consolePaths.length).toBeGreaterThan(20)
    for (const path of consolePaths) expect(pathOfLink(`promptdeck:/${path}`)).toBe(path)
  })

  it.each([
    'promptdeck://',
    'promptdeck:',
    'promptdeck:runs',
    'promptdeck:///runs',
    'promptdeck://overview',
    'promptdeck://nowhere/1',
    'promptdeck://constructor',
    'promptdeck://__proto__/x',
    'promptdeck://runs/..',
    'promptdeck://runs/../users',
    'promptdeck://runs/%2e%2e%2fusers',
    'promptdeck://runs//example.org',
    'promptdeck://runs/1/2',
    'promptdeck://runs/1?workspace=x',
    'promptdeck://runs#x',
    'promptdeck://runs/1\n',
    'promptdeck://runs/<script>',
    `promptdeck://runs/${'9'.repeat(65)}`,
    'promptdeck://runs@example.org/1',
    'promptdeck://runs:80/1',
    'promptdeck://settings/token',
    'promptdeck://traces',
    'promptdeck://login',
    'promptdeck://api/users',
    'PROMPTDECK://RUNS/1',
    'https://example.org/',
    'javascript:alert(1)',
    '',
  ])('%j opens the Overview', (link) => {
    expect(pathOfLink(link)).toBe('/')
  })

  it('are found in the arguments of a start', () => {
    expect(linkInArguments(['app', '--flag', 'promptdeck://runs/7'])).toEqual({
      kind: 'page',
      path: '/runs/7',
    })
    expect(linkInArguments(['app', 'PromptDeck://x'])).toEqual({ kind: 'page', path: '/' })
    expect(linkInArguments(['app', '--attach=http://127.0.0.1:1', './promptdeck'])).toBeNull()
  })

  it('to a server are recognized by their page alone', () => {
    const link = 'promptdeck://pair?address=desk.local&secret=x&fp=y'
    expect(linkInArguments(['app', link])).toEqual({ kind: 'pair', link })
    for (const other of ['promptdeck://pair', 'promptdeck://pairs?address=x', `${link}${'x'.repeat(1_000)}`])
      expect(linkInArguments(['app', other])).toEqual({ kind: 'page', path: '/' })
  })
})

describe('a start as a command', () => {
  it('is one whose first argument is a word, or asks for help', () => {
    expect(commandArguments(['lan', 'on'])).toEqual(['lan', 'on'])
    expect(commandArguments(['--help'])).toEqual(['--help'])
    for (const args of [
      [],
      ['--hidden'],
      ['promptdeck://runs/7'],
      ['.'],
      ['/opt/app'],
      ['--no-sandbox', 'lan'],
    ])
      expect(commandArguments(args)).toBeNull()
  })
})
