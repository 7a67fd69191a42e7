import type { TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { isRecord } from '../../../lib/values/is-record.ts'
import { parseJson, parseYaml } from '../../../resources/import-file.ts'
import { itemsOfFile } from '../../../resources/transfer/files.ts'
import { fromDotprompt } from './dotprompt/dotprompt.ts'
import { fromLangfuse, fromPromptOps, isLangfuse } from './foreign.ts'
import { parseMarkdown } from './markdown.ts'
import { fromOpenAi, isOpenAi } from './openai.ts'
import { fromPromptfoo, isPromptfoo } from './promptfoo/read.ts'
import type { ParsedFile } from './raw.ts'

/** Returns the type of a file: by its name, else by its beginning. */
function guessType(name: string, text: string): 'json' | 'yaml' | 'markdown' | 'dotprompt' {
  if (/\.prompt$/i.test(name)) return 'dotprompt'
  if (/\.(?:md|markdown)$/i.test(name)) return 'markdown'
  if (/\.ya?ml$/i.test(name)) return 'yaml'
  if (/\.json$/i.test(name) || /^\s*[[{]/.test(text)) return 'json'
  if (!/^---\s*$/m.test(text) || !text.startsWith('---')) return 'yaml'
  const matter = text.slice(3, text.indexOf('\n---', 3))
  const isOwn = /^(?:key|lines):/m.test(matter)
  return !isOwn && /^(?:model|config|input|output|name|promptdeck\.env):/m.test(matter)
    ? 'dotprompt'
    : 'markdown'
}

/** Returns the configurations of promptfoo in the documents of a file; null if one is something else. */
function promptfooIn(documents: readonly unknown[], isRequested: boolean) {
  const configs = documents.filter((document) => document !== null)
  const accepts = isRequested ? isRecord : isPromptfoo
  return configs.length > 0 && configs.every(accepts) ? configs : null
}

/** Parses a file of any supported format. Throws `UnreadableFile`. */
export function parseFile(name: string, content: string, requested: TransferFormat | 'auto'): ParsedFile {
  const text = content.replace(/^\ufeff/, '')
  const kind = requested === 'auto' ? guessType(name, text) : requested
  if (kind === 'markdown') return { format: kind, items: parseMarkdown(text, name) }
  if (kind === 'dotprompt') return { format: kind, items: [fromDotprompt(text, name)] }
  const isYaml =
    kind === 'yaml' ||
    kind === 'promptfoo' ||
    (requested !== 'auto' && kind !== 'json' && /\.ya?ml$/i.test(name))
  const documents = isYaml ? parseYaml(text) : [parseJson(text)]
  const isForeign = kind === 'promptfoo'
  const configs = isForeign || requested === 'auto' ? promptfooIn(documents, isForeign) : null
  if (configs !== null)
    return { format: 'promptfoo', items: configs.flatMap((config) => fromPromptfoo(config, name)) }
  const parsed = itemsOfFile(documents, 'prompt')
  const isLangfuseFile = kind === 'langfuse' || (requested === 'auto' && parsed.every(isLangfuse))
  if (isLangfuseFile) return { format: 'langfuse', items: fromLangfuse(parsed) }
  const isOpenAiFile = kind === 'openai' || (requested === 'auto' && parsed.every(isOpenAi))
  if (isOpenAiFile) return { format: 'openai', items: parsed.map((item) => fromOpenAi(item, name)) }
  return { format: kind, items: parsed.map(fromPromptOps) }
}
