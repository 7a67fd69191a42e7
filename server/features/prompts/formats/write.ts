import type { TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { writeJsonList } from '../../../resources/transfer/export.ts'
import { writeYamlList } from '../../../resources/yaml-list.ts'
import { toDotprompt } from './dotprompt/dotprompt.ts'
import type { ExportedPrompt } from './exported.ts'
import { toLangfuse, toPromptOps } from './foreign.ts'
import { writeMarkdown } from './markdown.ts'
import { toOpenAi } from './openai.ts'
import { writePromptfoo } from './promptfoo/write.ts'
import { writeTar } from './tar.ts'

type Prompts = AsyncIterable<ExportedPrompt>
type FileType = {
  readonly ending: string
  readonly contentType: string
  readonly write: (prompts: Prompts) => AsyncIterable<string | Uint8Array>
}

export const fileTypeOf = (format: TransferFormat, count: number): FileType =>
  format === 'dotprompt' && count === 1 ? dotpromptFile : fileTypes[format]

const json = 'application/json; charset=utf-8'
const yaml = 'application/yaml; charset=utf-8'
const dotpromptOf = (prompt: ExportedPrompt): string => toDotprompt(prompt, () => undefined)

/** Files of each format of an export. */
const fileTypes: Readonly<Record<TransferFormat, FileType>> = {
  json: {
    ending: 'json',
    contentType: json,
    write: (prompts) => writeJsonList('{"format":"promptdeck","prompts":', prompts),
  },
  yaml: {
    ending: 'yaml',
    contentType: yaml,
    write: (prompts) => writeYamlList('prompts', prompts),
  },
  markdown: {
    ending: 'md',
    contentType: 'text/markdown; charset=utf-8',
    write: (prompts) => mapped(prompts, writeMarkdown),
  },
  promptops: {
    ending: 'promptops.json',
    contentType: json,
    write: (prompts) => writeJsonList('{"prompts":', mapped(prompts, toPromptOps)),
  },
  openai: {
    ending: 'openai.json',
    contentType: json,
    write: (prompts) => writeJsonList('{"prompts":', mapped(prompts, toOpenAi)),
  },
  langfuse: {
    ending: 'langfuse.json',
    contentType: json,
    write: (prompts) => writeJsonList('{"data":', mapped(prompts, toLangfuse)),
  },
  promptfoo: {
    ending: 'promptfoo.yaml',
    contentType: yaml,
    write: writePromptfoo,
  },
  dotprompt: {
    ending: 'dotprompt.tar',
    contentType: 'application/x-tar',
    write(prompts) {
      const pathOf = createPaths()
      return writeTar(mapped(prompts, (prompt) => ({ path: pathOf(prompt), text: dotpromptOf(prompt) })))
    },
  },
}

/** A file of dotprompt has one prompt; several are an archive. */
const dotpromptFile: FileType = {
  ending: 'prompt',
  contentType: 'text/plain; charset=utf-8',
  write: (prompts) => mapped(prompts, dotpromptOf),
}

/**
 * Returns a function that returns the path of a prompt in one archive, without characters that file systems reserve.
 * All paths differ, also without regard to case.
 */
function createPaths(): (prompt: ExportedPrompt) => string {
  const used = new Set<string>()
  return ({ env, key }) => {
    const base = `${env}/${key.replace(/[<>:"|?*\\]/g, '_')}`
    let path = base
    for (let number = 2; used.has(path.toLowerCase()); number += 1) path = `${base}-${number}`
    used.add(path.toLowerCase())
    return `${path}.prompt`
  }
}

async function* mapped<T>(prompts: Prompts, map: (prompt: ExportedPrompt) => T): AsyncGenerator<T> {
  for await (const prompt of prompts) yield map(prompt)
}
