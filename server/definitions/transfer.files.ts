import type { z } from 'zod'
import type { DefinitionFormat, ImportDefinitionsBody } from '../../contract/definitions/definition.ts'
import type { Context } from '../lib/context.ts'
import { parseJson, parseYaml } from '../resources/import-file.ts'
import { itemsOfFile, type PlacedItem, placeItems } from '../resources/transfer/files.ts'
import type { Noun } from './definitions.store.ts'

export type ImportBody = z.output<typeof ImportDefinitionsBody>

function formatOf(name: string, text: string, format: DefinitionFormat | 'auto'): DefinitionFormat {
  if (format !== 'auto') return format
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  return /\.json$/i.test(name) || /^\s*[[{]/.test(text) ? 'json' : 'yaml'
}

/** Reads the files of an import within limits of time and memory. Throws 422 that names the file. */
export type ReadDefinitions = (ctx: Context, body: ImportBody, noun: Noun) => Promise<PlacedItem[]>

/** Parses all files of an import. Throws 422 that names the file, or if there are too many items. */
export const parseAll = (body: ImportBody, noun: Noun): PlacedItem[] =>
  placeItems(body.files, noun, (name, content) => {
    const text = content.replace(/^\ufeff/, '')
    const values = formatOf(name, text, body.format) === 'yaml' ? parseYaml(text) : [parseJson(text)]
    return itemsOfFile(values, noun).map((fields) => ({ fields, notes: [] }))
  })
