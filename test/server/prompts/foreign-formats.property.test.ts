import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PromptMessages } from '../../../contract/prompts/prompt-chat.ts'
import { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { ImportPromptsBody, type TransferFormat } from '../../../contract/prompts/prompt-transfer.ts'
import { toDotprompt } from '../../../server/features/prompts/formats/dotprompt/dotprompt.ts'
import type { ExportedPrompt } from '../../../server/features/prompts/formats/exported.ts'
import { lossesOf } from '../../../server/features/prompts/formats/losses.ts'
import { parseFile } from '../../../server/features/prompts/formats/parse.ts'
import { fileTypeOf } from '../../../server/features/prompts/formats/write.ts'
import { UnreadableFile } from '../../../server/resources/import-file.ts'

const formats = ['langfuse', 'promptfoo', 'dotprompt'] as const
const fileNames = { langfuse: 'a.json', promptfoo: 'a.yaml', dotprompt: 'a.prompt' } as const

const word = fc.constantFrom(
  'Hi ',
  '{{name}}',
  '{{ customer.name }}',
  '{{history}}',
  '{{> tone}}',
  '{{> a b/tone@v2}}',
  '{',
  '}',
  '{{',
  '}}',
  '\\',
  '\n',
  ' ',
  '---\n',
  '{% if %}',
  '{{#if x}}',
  '{{role "user"}}',
  '{{!}}',
  '{"a":1}',
  '[',
  'ä…',
  '# note\n',
  'file://',
)
const text = fc.oneof(
  fc.array(word, { maxLength: 8 }).map((words) => words.join('')),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const messages = fc.array(
  fc.oneof(
    fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
    fc.record({ role: fc.constant('assistant' as const), content: text }),
    fc.record({ placeholder: fc.constantFrom('history', 'other') }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: text,
      tool_calls: fc.constant([{ id: 'c', name: 'f', arguments: { a: '{{name}}' } }]),
    }),
    fc.record({ role: fc.constant('tool' as const), content: text, tool_call_id: fc.constant('c') }),
  ),
  { maxLength: 5 },
)
const variable = fc.record({
  name: fc.constantFrom('name', 'customer', 'customer.name', 'a.b.c', 'a.b', '7'),
  required: fc.boolean(),
  default: fc.option(fc.oneof(text, fc.integer(), fc.boolean())),
  description: text,
  type: fc.constantFrom('string' as const, 'number' as const, 'boolean' as const, 'json' as const),
  example: fc.option(fc.oneof(text, fc.integer()), { nil: undefined }),
})
const params = fc
  .record(
    {
      temperature: fc.constantFrom(0, 0.5, 2),
      top_p: fc.constant(0.5),
      max_output_tokens: fc.integer({ min: 1, max: 9 }),
      stop: fc.constant(['END', '\n']),
      reasoning_effort: fc.constantFrom('low', null, 3),
      topK: fc.constant(1),
      max_tokens_to_sample: fc.constant({ a: [1] }),
      tools: fc.constant([{ name: 'f', description: 'd', parameters: { type: 'object', properties: {} } }]),
      response_format: fc.constantFrom(
        { type: 'json_object' },
        { type: 'text' },
        { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object', properties: {} } } },
        { type: 'json_schema', json_schema: { name: 'x', schema: {} } },
      ),
    },
    { requiredKeys: [] },
  )
  .map((value) => PromptParams.parse(value))
const prompt = fc
  .record({
    key: fc.constantFrom('greet', 'billing/refund', 'ä/ö x', 'true', '12'),
    env: fc.constantFrom('dev' as const, 'test' as const, 'prod' as const),
    name: fc.constantFrom('greet', 'A name: "x"'),
    description: fc.oneof(fc.constant(''), text),
    category: fc.option(fc.constant('support')),
    tags: fc.constantFrom([], ['a', 'b c']),
    model: fc.constantFrom(null, 'gpt-4o', 'openai/gpt-4o', 'claude-sonnet-4-5', 'llama3:8b'),
    params,
    variables: fc.uniqueArray(variable, { selector: ({ name }) => name, maxLength: 4 }),
    version: fc.constantFrom(null, 'v3'),
    content: text,
    messages: fc.option(messages, { nil: undefined }),
  })
  .map(({ messages: list, ...fields }): ExportedPrompt => {
    if (list === undefined) return { ...fields, type: 'text' }
    return { ...fields, type: 'chat', content: '', messages: PromptMessages.parse(list) }
  })

async function written(format: TransferFormat, prompts: readonly ExportedPrompt[]): Promise<string> {
  let file = ''
  const { write } = fileTypeOf(format, prompts.length)
  async function* each() {
    yield* prompts
  }
  for await (const chunk of write(each())) file += chunk
  return file
}

/** The value of a field, with the defaults that an absent field has. */
function fieldOf(fields: Readonly<Record<string, unknown>>, field: string): unknown {
  const value = fields[field]
  if (field === 'variables')
    return (Array.isArray(value) ? value : [])
      .map(
        ({ name, required = false, default: preset = null, description = '', type = 'string', example }) => ({
          name,
          required,
          default: preset,
          description,
          type,
          example,
        }),
      )
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  if (field === 'messages') return JSON.parse(JSON.stringify(value ?? null))
  if (field === 'content') return fields['type'] === 'chat' ? null : value
  return value ?? { description: '', category: null, model: null, params: {}, tags: [] }[field]
}
const compared = [
  ...['key', 'env', 'name', 'description', 'category', 'tags', 'model', 'params', 'variables'],
  ...['type', 'content', 'messages'],
]
/** Fields that a loss of another field may change. */
const alsoLost: Readonly<Record<string, readonly string[]>> = {
  content: ['type', 'messages'],
  messages: ['content'],
}

describe('the formats of other products', () => {
  it.each(formats)('contain every field of a prompt that their preview does not list: %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(prompt, async (exported) => {
        const lost = new Set(
          lossesOf(exported, format).flatMap(({ field }) => {
            const [name = ''] = field.split('.')
            return [name, ...(alsoLost[name] ?? [])]
          }),
        )
        const { items } = parseFile(fileNames[format], await written(format, [exported]), 'auto')
        expect(items).toHaveLength(1)
        const fields = items[0]?.fields ?? {}
        for (const field of compared.filter((name) => !lost.has(name)))
          expect([field, fieldOf(fields, field)]).toEqual([field, fieldOf(exported, field)])
      }),
      { numRuns: 200 },
    )
  })

  it('are written and read several prompts at a time', async () => {
    const both = fc.tuple(prompt, prompt).map(([a, b]) => [a, { ...b, key: 'other' }])
    await fc.assert(
      fc.asyncProperty(both, async (prompts) => {
        for (const format of ['langfuse', 'promptfoo'] as const) {
          const { items } = parseFile(fileNames[format], await written(format, prompts), 'auto')
          const keys = items.map(({ fields }) => String(fields['key']))
          expect(keys.toSorted()).toEqual(prompts.map(({ key }) => key).toSorted())
        }
      }),
      { numRuns: 50 },
    )
  })

  it('are read in bounded time, or refused with a reason, whatever a file contains', () => {
    const deep = (open: string, close: string) => open.repeat(20_000) + close.repeat(20_000)
    const hostile = [
      deep('{"prompts":[', ']}'),
      `prompts: ${deep('[', ']')}`,
      `---\ninput: ${deep('{a: ', '}')}\n---\n`,
      `---\nname: x\n---\n${'{{'.repeat(50_000)}`,
      `---\nname: x\n---\n${'\\{{'.repeat(50_000)}`,
      `---\nname: x\n---\n${'{{role "user"}}'.repeat(20_000)}`,
      'prompts:\n  - &a {raw: *a}\ntests: []',
      'prompts: [{raw: x, __proto__: {a: 1}, constructor: 1}]\ntests: [{vars: {__proto__: 1}}]\n',
      '{"prompts":[{"raw":{"a":1},"label":7},null,[],5,"x"],"tests":7,"providers":{"a":1}}',
      '{"data":[{"prompt":"x","name":null,"labels":["__proto__",{}],"config":7}]}',
      '---\ninput: 7\noutput: []\nconfig: x\ntoolDefs: {}\n---\n{{',
      '---\nunclosed',
      `prompts: ["${'{'.repeat(100_000)}"]`,
    ]
    const examples = hostile.flatMap((file) =>
      formats.map((format): [string, (typeof formats)[number], boolean] => [file, format, true]),
    )
    const anyText = fc.oneof(text, fc.json(), fc.constantFrom(...hostile))
    fc.assert(
      fc.property(anyText, fc.constantFrom(...formats), fc.boolean(), (content, format, isGuessed) => {
        const body = { files: [{ name: fileNames[format], content }] }
        if (!ImportPromptsBody.safeParse(body).success) return
        try {
          const { items } = parseFile(fileNames[format], content, isGuessed ? 'auto' : format)
          expect(items.every(({ notes }) => notes.every((note) => note.length < 300))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableFile)
        }
      }),
      { numRuns: 150, examples },
    )
  })

  it('keeps an expression that Handlebars would read otherwise', () => {
    const exported: ExportedPrompt = {
      key: 'a',
      env: 'dev',
      name: 'a',
      description: '',
      category: null,
      tags: [],
      type: 'text',
      model: null,
      params: {},
      variables: [],
      version: null,
      content: '{"a":{{name}}} {{#if}} \\{{name}}',
    }
    const file = toDotprompt(exported, () => undefined)
    expect(file).toContain('{"a":{{name}}{{!}}} \\{{#if}} \\\\{{name}}')
  })
})
