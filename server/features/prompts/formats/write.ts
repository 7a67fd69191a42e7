import type { TransferFormat } from '../../../../contract/prompts/prompt-transfer.ts'
import { writeJsonList } from '../../../resources/transfer/export.ts'
import { writeYamlList } from '../../../resources/yaml-list.ts'
import type { ExportedPrompt } from './exported.ts'
import { toLangfuse, toPromptOps } from './foreign.ts'
import { writeMarkdown } from './markdown.ts'
import { toOpenAi } from './openai.ts'

type Prompts = AsyncIterable<ExportedPrompt>
type FileType = {
  readonly ending: string
  readonly contentType: string
  readonly write: (prompts: Prompts) => AsyncIterable<string>
}

/** Files of each format of an export. */
export const fileTypes: Readonly<Record<TransferFormat, FileType>> = {
  json: {
    ending: 'json',
    contentType: 'application/json; charset=utf-8',
    write: (prompts) => writeJsonList('{"format":"promptdeck","prompts":', prompts),
  },
  yaml: {
    ending: 'yaml',
    contentType: 'application/yaml; charset=utf-8',
    write: (prompts) => writeYamlList('prompts', prompts),
  },
  markdown: {
    ending: 'md',
    contentType: 'text/markdown; charset=utf-8',
    write: (prompts) => mapped(prompts, writeMarkdown),
  },
  promptops: {
    ending: 'promptops.json',
    contentType: 'application/json; charset=utf-8',
    write: (prompts) => writeJsonList('{"prompts":', mapped(prompts, toPromptOps)),
  },
  openai: {
    ending: 'openai.json',
    contentType: 'application/json; charset=utf-8',
    write: (prompts) => writeJsonList('{"prompts":', mapped(prompts, toOpenAi)),
  },
  langfuse: {
    ending: 'langfuse.json',
    contentType: 'application/json; charset=utf-8',
    write: (prompts) => writeJsonList('{"data":', mapped(prompts, toLangfuse)),
  },
}

async function* mapped<T>(prompts: Prompts, map: (prompt: ExportedPrompt) => T): AsyncGenerator<T> {
  for await (const prompt of prompts) yield map(prompt)
}
