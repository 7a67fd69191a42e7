import { Stack, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { ModelField } from '../../../shared/prompts/ModelField.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { facetsQuery } from '../prompts.queries.ts'
import type { Draft } from './editing.ts'

type Props = {
  readonly prompt: Prompt
  readonly draft: Draft
  readonly change: (patch: Partial<Draft>) => void
  readonly isReadOnly: boolean
}

/**
 * The metadata of a prompt. The model belongs to a version; the other fields apply as soon as they are saved.
 */
export function Details({ prompt, draft, change, isReadOnly }: Props) {
  const facets = useQuery(facetsQuery({ workspace: prompt.workspace_id, env: undefined })).data
  return (
    <Stack gap="md">
      <ModelField
        label={t('prompts:field.model')}
        description={t('prompt:details.model_help')}
        value={draft.model}
        readOnly={isReadOnly}
        onChange={(model) => change({ model })}
      />
      <TextInput
        size="xs"
        label={t('prompts:field.name')}
        value={draft.name}
        readOnly={isReadOnly}
        maxLength={200}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Textarea
        size="xs"
        label={t('prompts:field.description')}
        value={draft.description}
        readOnly={isReadOnly}
        maxLength={4000}
        minRows={2}
        maxRows={8}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <TagsInput
        size="xs"
        label={t('prompts:field.tags')}
        data={facets?.tags.map(({ name }) => name) ?? []}
        value={[...draft.tags]}
        readOnly={isReadOnly}
        onChange={(tags) => change({ tags })}
        // A closed list kept in the DOM would count as an open one and block the page's keyboard shortcuts.
        comboboxProps={{ keepMounted: false }}
      />
      <TextInput
        size="xs"
        label={t('prompts:field.category')}
        value={draft.category}
        readOnly={isReadOnly}
        maxLength={64}
        onChange={(event) => change({ category: event.currentTarget.value })}
      />
      <p className="note">
        {tNode('prompt:details.created', {
          creator: <bdi>{prompt.created_by}</bdi>,
          created: <Time at={prompt.created_at} />,
          editor: <bdi>{prompt.updated_by}</bdi>,
          updated: <Time at={prompt.updated_at} />,
        })}
      </p>
    </Stack>
  )
}
