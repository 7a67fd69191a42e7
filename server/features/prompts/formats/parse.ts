import type { TransferFormat } from '../../../../contract/prompt-transfer.ts'
import { isRecord, member, parseJson, parseYaml, UnreadableFile } from '../../../resources/import-file.ts'
import { fromLangfuse, fromPromptOps, isLangfuse } from './foreign.ts'
import { parseMarkdown } from './markdown.ts'
import type { ParsedFile } from './raw.ts'

/** Returns the type of a file: by its name, else by its beginning. */
function guess(name: string, text: string): 'json' | 'yaml' | 'markdown' {
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown'
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  if (/\.json$/i.test(name) || /^\s*[[{]/.test(text)) return 'json'
  return /^---\s*$/m.test(text) && text.startsWith('---') ? 'markdown' : 'yaml'
}

/** Accepts a list, a single prompt, or a list under `prompts`, `data` or `items`. */
function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  const isHolder = isRecord(value)
  const held = isHolder
    ? (['prompts', 'data', 'items'].map((name) => member(value, name)).find(Array.isArray) ?? [value])
    : value
  if (!Array.isArray(held)) throw new UnreadableFile('It holds no prompts: a list of them is expected')
  return held.map((item: unknown, index) => {
    if (!isRecord(item)) throw new UnreadableFile(`Item ${index} is no prompt`)
    return item
  })
}

/** Parses a file of any supported format. Throws `UnreadableFile`. */
export function parseFile(name: string, content: string, asked: TransferFormat | 'auto'): ParsedFile {
  const text = content.replace(/^\ufeff/, '')
  const kind = asked === 'auto' ? guess(name, text) : asked
  if (kind === 'markdown') return { format: kind, items: parseMarkdown(text, name) }
  const isYaml = kind === 'yaml' || (asked !== 'auto' && kind !== 'json' && /\.ya?ml$/i.test(name))
  const given = (isYaml ? parseYaml(text) : [parseJson(text)])
    .filter((value) => value !== null)
    .flatMap(listOf)
  if (given.length === 0) throw new UnreadableFile('It holds no prompts')
  const isForeign = kind === 'langfuse' || (asked === 'auto' && given.every(isLangfuse))
  if (isForeign) return { format: 'langfuse', items: fromLangfuse(given) }
  return { format: kind, items: given.map(fromPromptOps) }
}
