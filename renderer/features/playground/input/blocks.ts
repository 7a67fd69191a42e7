/**
 * A block ends at the first line break after `minLength` characters, or at the first space after `maxLength`.
 */
const minLength = 1_500
const maxLength = 12_000

/**
 * Splits a text into blocks that are rendered separately. Complete blocks stay the same while the text grows,
 * so each frame renders only the last one. The line break or space at the end of a block is not part of it.
 */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = []
  let from = 0
  while (text.length - from > minLength) {
    const line = text.indexOf('\n', from + minLength)
    let end = line !== -1 && line - from <= maxLength ? line : -1
    if (end === -1 && text.length - from > maxLength) end = text.indexOf(' ', from + maxLength)
    if (end === -1) break
    blocks.push(text.slice(from, end))
    from = end + 1
  }
  return [...blocks, text.slice(from)]
}
