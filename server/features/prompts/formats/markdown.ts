import { isRecord } from '../../../lib/values/is-record.ts'
import { member, parseYaml, UnreadableFile } from '../../../resources/import-file.ts'
import type { RawItem } from '../../../resources/transfer/files.ts'
import { yamlOf } from '../../../resources/yaml-list.ts'
import type { ExportedPrompt } from './exported.ts'

const fence = '---'

/**
 * Parses one or more pairs of front matter and text. `lines` in the front matter is the number of lines of
 * text, because a prompt may itself contain front matter. Without it, the text ends before the next front
 * matter with a key.
 */
export function parseMarkdown(text: string, fileName: string): RawItem[] {
  const lines = linesOf(text)
  const items: RawItem[] = []
  let index = 0
  while (index < lines.length) {
    if (lines[index]?.trim() === '' && items.length > 0) {
      index += 1
      continue
    }
    const { close, fields } = frontMatter(lines, index)
    const lineCount = member(fields, 'lines')
    const start = close + 1
    const end =
      Number.isInteger(lineCount) && Number(lineCount) >= 0
        ? start + Number(lineCount)
        : nextFrontMatter(lines, start)
    if (end > lines.length)
      throw new UnreadableFile('The file ends before the end of the text: it is truncated')
    const body = lines.slice(start, end)
    if (lineCount === undefined && body.at(-1) === '') body.pop()
    items.push({ fields: { key: keyOf(fileName), ...fields, content: body.join('\n') }, notes: [] })
    index = end
  }
  return items
}

/**
 * Returns the lines of a file. A file whose first line ends with LF, as exported, keeps the carriage returns of
 * its texts; in any other file they are line ends.
 */
function linesOf(text: string): string[] {
  const isExported = /^[^\r\n]*\n/.test(text)
  return (isExported ? text : text.replace(/\r\n?/g, '\n')).split('\n')
}

type FrontMatter = { readonly close: number; readonly fields: Readonly<Record<string, unknown>> }

/** Parses the front matter that begins in a line. `close` is the index of its last line. */
function frontMatter(lines: readonly string[], start: number): FrontMatter {
  if (lines[start]?.trimEnd() !== fence)
    throw new UnreadableFile(`Line ${start + 1} should begin the front matter with ---`)
  const close = lines.indexOf(fence, start + 1)
  if (close === -1) throw new UnreadableFile(`The front matter that begins in line ${start + 1} does not end`)
  const [matter = {}] = parseYaml(lines.slice(start + 1, close).join('\n'))
  if (!isRecord(matter ?? {}))
    throw new UnreadableFile(`The front matter in line ${start + 1} is not a mapping`)
  return { close, fields: isRecord(matter) ? matter : {} }
}

/** Returns the index of the next front matter with a key; the number of lines if there is none. */
function nextFrontMatter(lines: readonly string[], from: number): number {
  for (let index = from; index < lines.length; index += 1) {
    if (lines[index] === fence && /^key:\s*\S/.test(lines[index + 1] ?? '')) return index
  }
  return lines.length
}

/** Returns the key for a file whose front matter has none: `prompts/greet.md` → `prompts/greet`. */
const keyOf = (fileName: string): string =>
  fileName
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\.(?:md|markdown)$/i, '')
    .replace(/\s+/g, '-')

export function writeMarkdown(prompt: ExportedPrompt): string {
  const { content, ...matter } = prompt
  const lines = content.split('\n').length
  return `${fence}\n${yamlOf({ ...matter, lines })}${fence}\n${content}\n`
}
