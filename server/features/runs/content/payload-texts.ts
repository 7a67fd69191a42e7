import type { Payload } from '../payloads/payload-line.ts'

export type ContentField = 'input' | 'output'
/** A text of a payload. Phrases do not extend over two texts. */
export type ContentText = { readonly field: ContentField; readonly text: string }

/** The encoded part of a file in a text. It has no words. */
const dataUrl = /^data:[^,]{0,200};base64,/

/**
 * Returns the searched texts of a payload: the output, and each string and number in the input. Names of
 * fields, roles of messages and encoded files are not searched.
 */
export function textsOf({ input, output }: Payload): ContentText[] {
  const texts: ContentText[] = []
  collect(input, texts)
  if (output !== null) texts.push({ field: 'output', text: output })
  return texts
}

function collect(value: unknown, texts: ContentText[]): void {
  if (typeof value === 'string') {
    texts.push({ field: 'input', text: dataUrl.exec(value)?.[0] ?? value })
  } else if (typeof value === 'number') {
    texts.push({ field: 'input', text: String(value) })
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, texts)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value)) {
      if (!isStructural(name, field, value)) collect(field, texts)
    }
  }
}

/** Returns true for the role of a message, and for a `type` that repeats the name of another field. */
function isStructural(name: string, field: unknown, parent: object): boolean {
  if (typeof field !== 'string') return false
  if (name === 'role') return 'content' in parent || 'parts' in parent || 'tool_calls' in parent
  return name === 'type' && Object.hasOwn(parent, field)
}
