import { describe, expect, test } from 'vitest'
import { redact, redactText } from '../../../../server/features/runs/payloads/redact.ts'
import { secretFields } from '../../../../server/features/runs/payloads/redact-fields.ts'

/** Returns a text as a string in JSON, nested to a depth. */
const nested = (text: string, depth: number): string =>
  depth === 0 ? text : nested(JSON.stringify({ arguments: text, n: 1 }), depth - 1)

const depths = [0, 1, 2, 3, 5]

describe('fields in JSON within strings of JSON', () => {
  test.each([
    ['{"api_key":"abcd1234","user":"bob"}', '{"api_key":"[secret]","user":"bob"}'],
    ['{"password":"hunter2"}', '{"password":"[secret]"}'],
    ['{ "Password" : "x" }', '{ "Password" : "[secret]" }'],
    ['{"db_password":"correct horse, battery","n":1}', '{"db_password":"[secret]","n":1}'],
    ['{"secret":"a \\"b\\" \\\\","n":"c"}', '{"secret":"[secret]","n":"c"}'],
    ['{"pwd":4711,"n":1}', '{"pwd":[secret],"n":1}'],
    ['{"n":{"pwd":-1.5e3}}', '{"n":{"pwd":[secret]}}'],
    ['{"secret":["a]b",["c"],"d"],"n":[1]}', '{"secret":[secret],"n":[1]}'],
    [
      '{"authorization":"Basic YTpi","private_key":"abc"}',
      '{"authorization":"[secret]","private_key":"[secret]"}',
    ],
    ['{"command":"login --password=hunter22"}', '{"command":"login --password=[secret]"}'],
    ['{"command":"login --password=\'hunter 22\' -v"}', '{"command":"login --password=\'[secret]\' -v"}'],
    ['{"command":"login --password=\\"hunter 22\\" -v"}', '{"command":"login --password=\\"[secret]\\" -v"}'],
    ["{'password': 'hunter 22', 'n': 1}", "{'password': '[secret]', 'n': 1}"],
    ['{"text":"key sk-proj-abcdefghijklmnop1234"}', '{"text":"key [api key]"}'],
  ])('%s', (text, expected) => {
    for (const depth of depths) {
      expect(redactText(nested(text, depth)), `depth ${depth}`).toBe(nested(expected, depth))
      const call = { function: { name: 'login', arguments: nested(text, depth) } }
      expect(redact(call)).toEqual({ function: { name: 'login', arguments: nested(expected, depth) } })
    }
  })

  test.each([
    '{"password":{"type":"string","description":"The password."}}',
    '{"password":null,"api_key":true,"secret":false,"pwd":""}',
    '{"password_length":12,"secretary":"Ada","keyboard":"us"}',
    '{"label":"Password:","type":"text"}',
    '{"labels":["API_KEY:","Secret: "],"n":[1]}',
    '{"text":"The \\"password\\": ","next":"b"}',
    '{"text":"Is the password hunter? C:\\\\new\\\\table \\\\"}',
    'nothing to see: the "keyboard" is \\"fine\\", says \\\\\\"Ada\\\\\\"',
  ])('leaves %s unchanged', (text) => {
    for (const depth of depths) expect(redactText(nested(text, depth))).toBe(nested(text, depth))
  })

  test.each([
    ['{\\"password\\":\\"hunter2', '{\\"password\\":\\"[secret]'],
    ['{"a":"{\\"password\\":\\"hunter2","n":1}', '{"a":"{\\"password\\":\\"[secret]","n":1}'],
    ['{"a":"{\\"password\\":[\\"hunter2","n":1}', '{"a":"{\\"password\\":[secret]","n":1}'],
    ['{"password":"hunter2\n"n":1}', '{"password":"[secret]\n"n":1}'],
    ['{"password":"hunter2\n\nmore", "n":1}', '{"password":"[secret]", "n":1}'],
    ['{"password":"hunter2\n{"n": "b", "c":1}', '{"password":"[secret]\n{"n": "b", "c":1}'],
    ['{"password":["hunter2", "b', '{"password":[secret]'],
    ['{"password":hunter22}', '{"password":[secret]}'],
  ])('of incomplete JSON are redacted: %s', (text, expected) => {
    expect(redactText(text)).toBe(expected)
  })

  test('with quotes as code points are redacted', () => {
    const coded = (text: string) => JSON.stringify(text).replaceAll('\\"', String.raw`\u0022`)
    const once = coded('{"n":1,"password":"hunter2"}')
    for (const text of [JSON.stringify(once), coded(once)])
      expect(JSON.parse(JSON.parse(redactText(text)))).toBe('{"n":1,"password":"[secret]"}')
  })

  test.each([
    String.raw`{"run":"login --password\u003dhunter2 -v"}`,
    String.raw`{"run":"login --password\u003D\u0027hunter2\u0027 -v"}`,
    String.raw`{"run":"{\u0027password\u0027\u003a \u0027hunter2\u0027}"}`,
  ])('with operators and quotes as code points are redacted: %s', (text) => {
    for (const depth of depths) {
      let inner = redactText(nested(text, depth))
      for (let n = 0; n < depth; n += 1) inner = JSON.parse(inner).arguments
      expect(JSON.parse(inner).run).toBe(JSON.parse(text).run.replace('hunter2', '[secret]'))
    }
  })

  test('a secret after an escaped line break is found', () => {
    const text = JSON.stringify({ text: 'The keys:\nsk-proj-abcdefghijklmnop1234\nAKIAIOSFODNN7EXAMPLE' })
    expect(redactText(text)).toBe('{"text":"The keys:\\n[api key]\\n[access key]"}')
  })
})

/** Returns a text that counts the characters that are read. */
function counting(text: string) {
  const counted = {
    reads: 0,
    length: text.length,
    charCodeAt(index: number) {
      counted.reads += 1
      return text.charCodeAt(index)
    },
    slice(from: number, to: number) {
      counted.reads += Math.min(to, text.length) - from
      return text.slice(from, to)
    },
  }
  return counted
}

describe('the number of characters read', () => {
  test.each([
    ['backslashes', '\\'],
    ['operators', '='],
    ['last letters of names', 'd='],
    ['names', 'password='],
    ['names with a literal', 'password=true.'],
    ['names with a short value', 'pwd=x;'],
    ['names with a quote', '"pwd":"'],
    ['names with an escaped quote', '\\"pwd\\":\\"'],
    ['names with many backslashes', `pwd=${'\\'.repeat(1000)}`],
    ['quoted names with many backslashes', `"pwd${'\\'.repeat(1000)}":`],
    ['quotes that are ends of texts', 'pwd=",'],
    ['lists without an end', '"pwd":['],
    ['lists of strings', '"pwd":["'],
    ['strings without an end', 'pwd="a\n'],
    ['numbers', '"pwd":1}'],
    ['brackets', '"pwd":}}}}}}}}'],
    ['spaces', 'pwd    =    \\n\\n\\n\\n'],
  ])('grows linearly with the length: %s', (_, part) => {
    const text = counting(part.repeat(Math.ceil(500_000 / part.length)))
    secretFields(text)
    expect(text.reads / text.length).toBeLessThan(12)
  })
})
