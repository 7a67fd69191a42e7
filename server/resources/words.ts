import { wordsOf } from '../lib/text/words.ts'

/** Maximum number of distinct words of one resource in the search index; a text of 256 KiB may have more. */
const maxWords = 3000

export type StoredWords = {
  readonly list: () => Promise<readonly { readonly word: string }[]>
  readonly insert: (word: string) => Promise<unknown>
  readonly remove: (word: string) => Promise<unknown>
}

/** Updates the search index of a resource. Writes only the words that changed. */
export async function updateWords(text: string, stored: StoredWords): Promise<void> {
  const wanted = new Set(wordsOf(text, maxWords))
  for (const { word } of await stored.list()) {
    if (!wanted.delete(word)) await stored.remove(word)
  }
  for (const word of wanted) await stored.insert(word)
}
