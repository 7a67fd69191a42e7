import { Document, visit } from 'yaml'

/** Indents the lines of a YAML document. Only LF ends a line: U+2028 is part of the text. */
const indented = (yaml: string): string =>
  yaml
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n')

/**
 * Returns the YAML of a value. Text of several lines that are all blank is quoted, because the library writes
 * it as a block whose indentation a parser cannot distinguish from the spaces of the text.
 */
export function yamlOf(value: unknown): string {
  const document = new Document(value)
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /^[ \t]*\n\s*$/.test(node.value)) node.type = 'QUOTE_DOUBLE'
    },
  })
  // The library loses a blank line in a quoted text that it divides into several lines.
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}

type Items = AsyncIterable<Readonly<Record<string, unknown>>>

/** Writes an export as YAML, an item at a time: `format`, and the items as a list under a name. */
export async function* writeYamlList(name: string, items: Items): AsyncGenerator<string> {
  yield 'format: promptdeck\n'
  yield* writeYamlItems(name, items)
}

/** Writes a list under a name, an item at a time. */
export async function* writeYamlItems(name: string, items: Items): AsyncGenerator<string> {
  yield `${name}:`
  let isEmpty = true
  for await (const item of items) {
    yield `${isEmpty ? '\n' : ''}${indented(yamlOf([item]))}`
    isEmpty = false
  }
  if (isEmpty) yield ' []\n'
}
