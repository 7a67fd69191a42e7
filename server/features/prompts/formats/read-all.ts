import { type ImportReport, maxImported, type TransferFormat } from '../../../../contract/prompt-transfer.ts'
import type { Context } from '../../../lib/context.ts'
import { invalid } from '../../../lib/fail.ts'
import { UnreadableFile } from '../../../resources/import-file.ts'
import type { ImportBody, Placed } from '../transfer.plan.ts'
import { parseFile } from './parse.ts'

export type ReadFiles = { readonly placed: Placed[]; readonly format: ImportReport['format'] }
/** Reads the files of an import within limits of time and memory. Throws 422 that names the file. */
export type ReadPrompts = (ctx: Context, body: ImportBody) => Promise<ReadFiles>

/** Reads the prompts of all files of an import. Throws 422 that names the file. */
export function parseAll(body: ImportBody): ReadFiles {
  const placed: Placed[] = []
  const formats = new Set<TransferFormat>()
  body.files.forEach(({ name, content }, number) => {
    try {
      const parsed = parseFile(name, content, body.format)
      formats.add(parsed.format)
      placed.push(...parsed.items.map((raw, index) => ({ file: name, index, raw })))
    } catch (error) {
      if (error instanceof UnreadableFile)
        throw invalid(`files.${number}.content`, `${name}: ${error.message}`)
      throw error
    }
  })
  if (placed.length > maxImported)
    throw invalid('files', `${placed.length} prompts: an import takes ${maxImported} at most`)
  const [first = 'json', ...others] = formats
  return { placed, format: others.length > 0 ? 'mixed' : first }
}
