import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import type { EditingKind } from '../../../shared/editing/kind.ts'
import { type Editing, useEditing } from '../../../shared/editing/useEditing.ts'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { type Draft, draftOf, patchOf } from './editing.ts'

export type PromptEditing = Editing<Prompt, Draft>

const promptEditing: EditingKind<Prompt, Draft> = {
  noun: 'prompt',
  draftOf,
  queryKeyOf: (id) => promptQuery(id).queryKey,
  fetch: async (id) => (await client.prompts.get({ params: { id } })).data,
  update: async (id, before, after, _message, etag) =>
    (
      await client.prompts.update(
        { params: { id }, body: patchOf(before, after) },
        { headers: { 'if-match': etag } },
      )
    ).data,
  refresh: (queries, { id }) =>
    Promise.all(
      [['prompt', 'list'], ['prompt', 'facets'], ['prompt', 'diff', id], ['audit']].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    ),
  savedText: ({ key }) => t('prompt:edit.saved', { key }),
}

export const usePromptEditing = (prompt: Prompt): PromptEditing => useEditing(promptEditing, prompt)
