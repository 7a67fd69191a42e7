/** A text that is HTML already. */
export type Html = { readonly html: string }
type Part = string | number | Html | null | false | readonly Part[]

/** Returns HTML in which every inserted text is escaped, so that no name of a server becomes markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: strings.reduce((text, piece, index) => text + rendered(parts[index - 1] ?? null) + piece) }
}

function rendered(part: Part): string {
  if (part === null || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return 'html' in part ? part.html : part.map(rendered).join('')
}

/** Escapes a text for HTML. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
