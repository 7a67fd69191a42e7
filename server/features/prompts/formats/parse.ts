import type { TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { parseJson, parseYaml } from '../../../resources/import-file.ts'
import { itemsOfFile } from '../../../resources/transfer/files.ts'
import { fromLangfuse, fromPromptOps, isLangfuse } from './foreign.ts'
import { parseMarkdown } from './markdown.ts'
import { fromOpenAi, isOpenAi } from './openai.ts'
import type { ParsedFile } from './raw.ts'

/** Returns the type of a file: by its name, else by its beginning. */
function guessType(name: string, text: string): 'json' | 'yaml' | 'markdown' {
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown'
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  if (/\.json$/i.test(name) || /^\s*[[{]/.test(text)) return 'json'
  return /^---\s*$/m.test(text) && text.startsWith('---') ? 'markdown' : 'yaml'
}

/** Parses a file of any supported format. Throws `UnreadableFile`. */
export function parseFile(name: string, content: string, requested: TransferFormat | 'auto'): ParsedFile {
  const text = content.replace(/^\ufeff/, '')
  const kind = requested === 'auto' ? guessType(name, text) : requested
  if (kind === 'markdown') return { format: kind, items: parseMarkdown(text, name) }
  const isYaml = kind === 'yaml' || (requested !== 'auto' && kind !== 'json' && /\.ya?ml$/i.test(name))
  const parsed = itemsOfFile(isYaml ? parseYaml(text) : [parseJson(text)], 'prompt')
  const isLangfuseFile = kind === 'langfuse' || (requested === 'auto' && parsed.every(isLangfuse))
  if (isLangfuseFile) return { format: 'langfuse', items: fromLangfuse(parsed) }
  const isOpenAiFile = kind === 'openai' || (requested === 'auto' && parsed.every(isOpenAi))
  if (isOpenAiFile) return { format: 'openai', items: parsed.map((item) => fromOpenAi(item, name)) }
  return { format: kind, items: parsed.map(fromPromptOps) }
}
