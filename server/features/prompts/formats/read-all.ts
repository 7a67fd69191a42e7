import type { TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import type { Context } from '../../../lib/context.ts'
import { placeItems } from '../../../resources/transfer/files.ts'
import { parseFile } from './parse.ts'
import type { ImportBody, ParsedFiles } from './raw.ts'

/** Reads the files of an import within limits of time and memory. Throws 422 that names the file. */
export type ReadPrompts = (ctx: Context, body: ImportBody) => Promise<ParsedFiles>

/** Reads the prompts of all files of an import. Throws 422 that names the file. */
export function parseAll(body: ImportBody): ParsedFiles {
  const formats = new Set<TransferFormat>()
  const placed = placeItems(body.files, 'prompt', (name, text) => {
    const { format, items } = parseFile(name, text, body.format)
    formats.add(format)
    return items
  })
  const [first = 'json', ...others] = formats
  return { placed, format: others.length > 0 ? 'mixed' : first }
}
