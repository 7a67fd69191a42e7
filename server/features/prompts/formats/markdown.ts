import { stringify } from 'yaml'
import { isRecord, member, parseYaml, UnreadableFile } from '../../../resources/import-file.ts'
import type { RawItem } from '../../../resources/transfer/files.ts'
import type { ExportedPrompt } from './exported.ts'

const fence = '---'

/**
 * Parses one or more pairs of front matter and text. `lines` in the front matter is the number of lines of
 * text, because a prompt may itself contain front matter. Without it, the text ends before the next front
 * matter with a key.
 */
export function parseMarkdown(text: string, fileName: string): RawItem[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const items: RawItem[] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]?.trim() === '' && items.length > 0) {
      at += 1
      continue
    }
    const { close, fields } = frontMatter(lines, at)
    const given = member(fields, 'lines')
    const end = typeof given === 'number' && given >= 0 ? close + 1 + given : nextFront(lines, close + 1)
    if (end > lines.length)
      throw new UnreadableFile('The file ends before the end of the text: it is truncated')
    const body = lines.slice(close + 1, end)
    if (given === undefined && body.at(-1) === '') body.pop()
    items.push({ fields: { key: keyOf(fileName), ...fields, content: body.join('\n') }, notes: [] })
    at = end
  }
  return items
}

type FrontMatter = { readonly close: number; readonly fields: Readonly<Record<string, unknown>> }

/** Parses the front matter that begins in a line. `close` is the index of its last line. */
function frontMatter(lines: readonly string[], at: number): FrontMatter {
  if (lines[at]?.trimEnd() !== fence)
    throw new UnreadableFile(`Line ${at + 1} should begin the front matter with ---`)
  const close = lines.indexOf(fence, at + 1)
  if (close === -1) throw new UnreadableFile(`The front matter that begins in line ${at + 1} does not end`)
  const [matter = {}] = parseYaml(lines.slice(at + 1, close).join('\n'))
  if (!isRecord(matter ?? {})) throw new UnreadableFile(`The front matter in line ${at + 1} is not a mapping`)
  return { close, fields: isRecord(matter) ? matter : {} }
}

function nextFront(lines: readonly string[], from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    if (lines[at] === fence && /^key:\s*\S/.test(lines[at + 1] ?? '')) return at
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
  return `${fence}\n${stringify({ ...matter, lines }, { lineWidth: 0 })}${fence}\n${content}\n`
}
