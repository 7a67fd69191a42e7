import type { z } from 'zod'
import type { DefinitionFormat, ImportDefinitionsBody } from '../../contract/definition.ts'
import { maxImported } from '../../contract/prompt-transfer.ts'
import type { Context } from '../lib/context.ts'
import { invalid } from '../lib/fail.ts'
import { isRecord, member, parseJson, parseYaml, UnreadableFile } from '../resources/import-file.ts'
import type { Noun } from './definitions.store.ts'

export type ImportBody = z.output<typeof ImportDefinitionsBody>
/** One definition as read from a file, not yet validated. */
export type Placed = {
  readonly file: string
  /** Index of the file in the request, and of the item in the file. */
  readonly number: number
  readonly index: number
  readonly fields: Readonly<Record<string, unknown>>
}

function formatOf(name: string, text: string, asked: DefinitionFormat | 'auto'): DefinitionFormat {
  if (asked !== 'auto') return asked
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  return /\.json$/i.test(name) || /^\s*[[{]/.test(text) ? 'json' : 'yaml'
}

/** Accepts a list, a single definition, or a list under the plural noun, `data` or `items`. */
function listOf(value: unknown, noun: Noun): Readonly<Record<string, unknown>>[] {
  const named = isRecord(value)
    ? [`${noun}s`, 'data', 'items'].map((name) => member(value, name)).find(Array.isArray)
    : undefined
  const held = named ?? (isRecord(value) ? [value] : value)
  if (!Array.isArray(held)) throw new UnreadableFile(`It holds no ${noun}s: a list of them is expected`)
  return held.map((item: unknown, index) => {
    if (!isRecord(item)) throw new UnreadableFile(`Item ${index} is no ${noun}`)
    return item
  })
}

function parseFile(name: string, content: string, asked: DefinitionFormat | 'auto', noun: Noun) {
  const text = content.replace(/^\ufeff/, '')
  const values = formatOf(name, text, asked) === 'yaml' ? parseYaml(text) : [parseJson(text)]
  const items = values.filter((value) => value !== null).flatMap((value) => listOf(value, noun))
  if (items.length === 0) throw new UnreadableFile(`It holds no ${noun}s`)
  return items
}

/** Reads the files of an import within limits of time and memory. Throws 422 that names the file. */
export type ReadDefinitions = (ctx: Context, body: ImportBody, noun: Noun) => Promise<Placed[]>

/** Parses all files of an import. Throws 422 that names the file, or if there are too many items. */
export function parseAll(body: ImportBody, noun: Noun): Placed[] {
  const placed = body.files.flatMap(({ name, content }, number) => {
    try {
      const items = parseFile(name, content, body.format, noun)
      return items.map((fields, index): Placed => ({ file: name, number, index, fields }))
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      throw invalid(`files.${number}.content`, `${name}: ${error.message}`)
    }
  })
  if (placed.length > maxImported)
    throw invalid('files', `${placed.length} ${noun}s: an import takes ${maxImported} at most`)
  return placed
}
