/** A block ends at the first line break after `enough` characters, or at the first space after `tooMany`. */
const enough = 1_500
const tooMany = 12_000

/**
 * Splits a text into blocks that are rendered separately. Complete blocks stay the same while the text grows,
 * so each frame renders only the last one. The line break or space at the end of a block is not part of it.
 */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = []
  let from = 0
  while (text.length - from > enough) {
    const line = text.indexOf('\n', from + enough)
    let cut = line !== -1 && line - from <= tooMany ? line : -1
    if (cut === -1 && text.length - from > tooMany) cut = text.indexOf(' ', from + tooMany)
    if (cut === -1) break
    blocks.push(text.slice(from, cut))
    from = cut + 1
  }
  return [...blocks, text.slice(from)]
}
