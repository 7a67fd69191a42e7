import { type Params, prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import { updateWords } from '../../../resources/words.ts'

const listWords = prepareQuery((q, p: Params<{ id: string }>) =>
  q.selectFrom('prompt_words').select('word').where('prompt_id', '=', p('id')),
)
const insert = prepareChange((q, p: Params<{ word: string; id: string }>) =>
  q.insertInto('prompt_words').values({ word: p('word'), prompt_id: p('id') }),
)
const remove = prepareChange((q, p: Params<{ word: string; id: string }>) =>
  q.deleteFrom('prompt_words').where('word', '=', p('word')).where('prompt_id', '=', p('id')),
)

export type SearchedFields = {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly content: string
}

export function indexPrompt(q: Query, id: string, fields: SearchedFields): Promise<void> {
  const { key, name, description, category, tags, content } = fields
  const texts = [key, name, tags.join(' '), category ?? '', description, content]
  return updateWords(texts.join(' '), {
    list: () => listWords(q, { id }),
    insert: (word) => insert(q, { word, id }),
    remove: (word) => remove(q, { word, id }),
  })
}

/** Returns the ids of prompts that contain a word with this prefix. */
export const withWordPrefix = (q: Query, word: string) =>
  q
    .selectFrom('prompt_words')
    .select('prompt_id')
    .where('word', '>=', word)
    .where('word', '<', `${word}\u{10ffff}`)
