import { stringify } from 'yaml'

/** Indents the lines of a YAML document. Only LF ends a line: U+2028 is part of the text. */
const indented = (yaml: string): string =>
  yaml
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n')

/** Writes an export as YAML, an item at a time: `format`, and the items as a list under a name. */
export async function* writeYamlList(
  name: string,
  items: AsyncIterable<Readonly<Record<string, unknown>>>,
): AsyncGenerator<string> {
  yield `format: promptdeck\n${name}:`
  let isEmpty = true
  for await (const one of items) {
    yield `${isEmpty ? '\n' : ''}${indented(stringify([one], { lineWidth: 0 }))}`
    isEmpty = false
  }
  if (isEmpty) yield ' []\n'
}
