import { includePattern } from '../../../../../contract/formats/includes.ts'
import type { OnLoss } from '../exported.ts'

/** Names that are helpers or literals of dotprompt or Handlebars, not variables. */
const reserved: ReadonlySet<string> = new Set(
  `history role media section json else this true false null undefined
  if unless each with lookup log ifEquals unlessEquals`.split(/\s+/),
)

/** Returns true if Handlebars reads the name as a variable. */
const isPlainName = (name: string): boolean =>
  !reserved.has(name.split('.')[0] ?? '') && name.split('.').every((part) => part !== '' && !/^\d/.test(part))

const mustache = new RegExp(`${includePattern.source}|\\{\\{\\s*([\\w.]+)\\s*\\}\\}`, 'g')

/** An empty comment of Handlebars: nothing, where two parts of the text may not touch. */
const nothing = '{{!}}'

/** Returns a text with variables and includes as a template of Handlebars. */
export function toHandlebars(text: string, onLoss: OnLoss): string {
  let template = ''
  let from = 0
  for (const match of text.matchAll(mustache)) {
    const [whole, key, version, name] = match
    const next = text[match.index + whole.length]
    template += literal(text.slice(from, match.index), true, onLoss)
    from = match.index + whole.length
    if (name !== undefined && !isPlainName(name))
      onLoss('content', `{{${name}}} has another meaning in dotprompt`)
    if (version !== undefined) onLoss('content', `{{> ${key}@v${version}}} loses its version`)
    template += key === undefined ? whole : partial(key, onLoss)
    // `}}}` would end another kind of expression, and a partial that is alone in its line takes the line break.
    if (next === '}' || (key !== undefined && (next === undefined || next === '\n'))) template += nothing
  }
  return template + literal(text.slice(from), false, onLoss)
}

/** Returns text that is not an expression. In Handlebars `\{{` is two braces, and `\\` before an expression is `\`. */
function literal(text: string, isBeforeExpression: boolean, onLoss: OnLoss): string {
  if (text.includes('\\{{')) onLoss('content', 'A backslash before {{ is read as an escape')
  const braces = /\{*$/.exec(text)?.[0].length ?? 0
  if (isBeforeExpression && braces % 2 === 1) onLoss('content', '{{{ is read as another kind of expression')
  const escaped = text.replaceAll('{{', '\\{{')
  return isBeforeExpression && escaped.endsWith('\\') ? `${escaped}\\` : escaped
}

function partial(key: string, onLoss: OnLoss): string {
  if (/^[A-Za-z_][\w-]*(?:\/[A-Za-z_][\w-]*)*$/.test(key)) return `{{> ${key}}}`
  if (key.includes('"') || key.includes('\\'))
    onLoss('content', `{{> ${key}}} has characters of an expression`)
  return `{{> "${key}"}}`
}

/** A part of a template: text of this service, the start of a message, or the place of the history. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'history' }

/**
 * Reads a template by the rules of Handlebars' lexer. Expressions that this service does not evaluate stay in the
 * text, with a note.
 */
export function fromHandlebars(template: string, notes: Set<string>): Part[] {
  const parts: Part[] = []
  let position = 0
  const add = (part: Part | null): void => {
    if (part !== null && (part.kind !== 'text' || part.text !== '')) parts.push(part)
  }
  while (position < template.length) {
    const open = template.indexOf('{{', position)
    if (open === -1) {
      add({ kind: 'text', text: template.slice(position) })
      break
    }
    const before = template.slice(position, open)
    if (before.endsWith('\\') && !before.endsWith('\\\\')) {
      const end = endOfEscaped(template, open)
      const text = template.slice(open, end)
      if (/^\{\{\s*[\w.]+\s*\}\}/.test(text)) notes.add(`content: \\${text.slice(0, 50)} becomes a variable`)
      add({ kind: 'text', text: before.slice(0, -1) + text })
      position = end
      continue
    }
    add({ kind: 'text', text: before.endsWith('\\\\') ? before.slice(0, -1) : before })
    const end = endOfExpression(template, open)
    add(readExpression(template.slice(open, end), notes))
    position = end
  }
  return parts
}

/** Returns the end of text that begins with an escaped `{{`. */
function endOfEscaped(template: string, open: number): number {
  const next = template.indexOf('{{', open + 2)
  if (next === -1) return template.length
  let end = next
  while (end > open + 2 && next - end < 2 && template[end - 1] === '\\') end -= 1
  return end
}

function endOfExpression(template: string, open: number): number {
  const close = ['{{!--', '{{~!--'].some((start) => template.startsWith(start, open))
    ? '--}}'
    : template.startsWith('{{{', open)
      ? '}}}'
      : '}}'
  const end = template.indexOf(close, open + 2)
  return end === -1 ? template.length : end + close.length
}

function readExpression(whole: string, notes: Set<string>): Part | null {
  const isRaw = whole.startsWith('{{{')
  const inner = whole.slice(isRaw ? 3 : 2, isRaw ? -3 : -2)
  const body = inner.replace(/^~|~$/g, '')
  if (body.startsWith('!')) return null
  if (body !== inner) notes.add('content: `~`, which removes spaces, is left out')
  if (/^\s*[\w.]+\s*$/.test(body)) return readName(body)
  const role = /^\s*role\s+["']([\w-]+)["']\s*$/.exec(body)?.[1]
  if (role !== undefined) return { kind: 'role', role }
  const included = /^>\s*(?:"([^"{}]+)"|'([^'{}]+)'|([^\s{}"'=]+))\s*$/.exec(body)
  const key = included?.[1] ?? included?.[2] ?? included?.[3]
  if (key !== undefined) return { kind: 'text', text: `{{> ${key}}}` }
  notes.add(`content: ${whole.slice(0, 60)} stays in the text, and is not evaluated`)
  return { kind: 'text', text: whole }
}

const readName = (body: string): Part =>
  body.trim() === 'history' ? { kind: 'history' } : { kind: 'text', text: `{{${body}}}` }
