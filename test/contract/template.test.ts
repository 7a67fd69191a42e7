import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsWhenRendered, render, unsafeNames, variablesIn } from '../../contract/formats/template.ts'
import { Content, folderOf, TagsInput, VersionInput } from '../../contract/prompts/prompt.ts'
import { PromptKey } from '../../contract/resources/key.ts'

describe('variables of a template', () => {
  it.each([
    ['Hello {{name}}', ['name']],
    ['{{ a.b }} {{a.b}} {{c_1}}', ['a.b', 'c_1']],
    ['{{}} {{ }} {{a b}} {{a-b}} { {x} } {x}', []],
    ['{{\n x \t}}', ['x']],
    ['{{{x}}}', ['x']],
    ['{{a}}{{b}}{{a}}', ['a', 'b']],
    ['{{toString}} {{0}}', ['toString', '0']],
  ])('%j', (template, names) => {
    expect(variablesIn(template)).toEqual(names)
  })
  it('that match inherited properties are valid', () => {
    const names = ['constructor', '__proto__.x', 'a.prototype', 'proto', 'constructors', 'toString']
    expect(unsafeNames(names)).toEqual(['constructor', '__proto__.x', 'a.prototype'])
  })
})

describe('rendering', () => {
  it.each([
    ['text', 'Hi {{name}}', { name: 'Edda' }, 'Hi Edda', []],
    ['a path', 'Hi {{ user.name }}', { user: { name: 'Edda' } }, 'Hi Edda', []],
    ['a name with a dot before a path', '{{a.b}}', { 'a.b': 1, a: { b: 2 } }, '1', []],
    ['numbers, booleans and empty text', '{{n}}|{{b}}|{{e}}', { n: 0, b: false, e: '' }, '0|false|', []],
    ['an object as JSON', '{{o}}', { o: { a: [1] } }, '{"a":[1]}', []],
    ['an item of a list', '{{l.1}}', { l: ['a', 'b'] }, 'b', []],
    ['an unknown placeholder, which remains', 'Hi {{ name }}', {}, 'Hi {{ name }}', ['name']],
    ['null as a missing value', '{{a}}', { a: null }, '{{a}}', ['a']],
    ['a value that looks like a template', '{{a}}', { a: '{{b}} $& $1', b: 'x' }, '{{b}} $& $1', []],
    [
      'no inherited member',
      '{{constructor}} {{toString}} {{a.constructor.name}}',
      { a: {} },
      '{{constructor}} {{toString}} {{a.constructor.name}}',
      ['constructor', 'toString', 'a.constructor.name'],
    ],
    [
      'no member of a prototype',
      '{{__proto__.x}}{{a.length}}',
      { a: 'text' },
      '{{__proto__.x}}{{a.length}}',
      ['__proto__.x', 'a.length'],
    ],
  ])('%s', (_name, template, values, text, missing) => {
    expect(render(template, values)).toEqual({ text, missing })
  })
  it('uses declared defaults', () => {
    const declared = [
      { name: 'a', default: 'A' },
      { name: 'b', default: null },
    ]
    expect(render('{{a}} {{b}}', {}, declared)).toEqual({ text: 'A {{b}}', missing: ['b'] })
    expect(render('{{a}}', { a: 'given' }, declared).text).toBe('given')
  })
  it('changes nothing else, and is fast for long input', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        expect(render(text, {}).text).toBe(text)
      }),
    )
    expect(variablesIn(`${'{{'.repeat(60_000)}${' '.repeat(100_000)}`)).toEqual([])
  })
})

describe('fields of a prompt', () => {
  it.each([
    'a',
    'a/b',
    'A.b_c-d/e',
    'x'.repeat(200),
    '...',
    'a/.b',
    'a b',
    'ä',
    'a?b',
    '返金/最初',
    '👩\u200d🚀',
    'a\\b',
  ])('accept the key %s', (key) => {
    expect(PromptKey.safeParse(key).success).toBe(true)
  })
  it.each([
    '',
    '/',
    'a/',
    '/a',
    'a//b',
    '.',
    '..',
    'a/../b',
    ' a',
    'a ',
    '\u3000a',
    'x'.repeat(201),
    'a\n',
    'a\u0000',
    'a\u202eb',
    'a\u200bb',
    '\ufeffa',
    'a\ud800',
    'a\u2028b',
    '\ue000',
    '\ufffe',
  ])('refuse the key %j', (key) => {
    expect(PromptKey.safeParse(key).success).toBe(false)
  })
  it('have the folder before the last slash', () => {
    expect([folderOf('a/b/c'), folderOf('a')]).toEqual(['a/b', ''])
  })
  it('measure content in bytes', () => {
    expect(Content.safeParse('ä'.repeat(131_072)).success).toBe(true)
    expect(Content.safeParse(`${'ä'.repeat(131_072)}x`).success).toBe(false)
  })
  it('read tags from a list or text, each once', () => {
    expect(TagsInput.parse(' a, b,,a ')).toEqual(['a', 'b'])
    expect(TagsInput.parse(['a', ' b '])).toEqual(['a', 'b'])
    expect(TagsInput.safeParse(['a,b']).success).toBe(false)
  })
  it.each([
    ['v3', 3],
    ['3', 3],
    [3, 3],
  ])('read the version %s', (input, version) => {
    expect(VersionInput.parse(input)).toBe(version)
  })
  it.each(['v0', '0', 'x', -1, 1.5, ''])('refuse the version %s', (input) => {
    expect(VersionInput.safeParse(input).success).toBe(false)
  })
})

describe('the size limit of rendered text', () => {
  const bomb = '{{a}}'.repeat(50_000)
  it.each([
    ['Hi {{who}}', { who: 'world' }, 8, true],
    ['Hi {{who}}', { who: 'world' }, 7, false],
    ['{{ a }}{{a}}', { a: '' }, 4, true],
    [bomb, { a: 'x'.repeat(1_000_000) }, 1_048_576, false],
    [bomb, { a: 'x' }, 1_048_576, true],
    [bomb, { a: Array.from({ length: 100_000 }, () => 'x') }, 1_048_576, false],
  ])('%#: is checked without rendering', (template, values, maxBytes, expected) => {
    expect(fitsWhenRendered(template, values, [], maxBytes)).toBe(expected)
  })
})
