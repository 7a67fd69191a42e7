/** A block is whole at the first line break after so many characters, or at the first space after very many. */
const enough = 1_500
const tooMany = 12_000

/**
 * Cuts a text into stretches to be drawn each on its own. What was whole stays the same when the text grows, so a frame
 * costs the last stretch and not all of it. The line break or space it was cut at stands for itself.
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
