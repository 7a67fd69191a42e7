import { Stack, TextInput } from '@mantine/core'
import { t, tNode } from '../../../lib/i18n.ts'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import type { Definition } from '../definition.ts'
import type { DefinitionEditing } from './useDefinitionEditing.ts'

type Named = { readonly name: string; readonly description: string }
type Props<T extends Definition, D extends Named> = {
  readonly definition: T
  readonly editing: DefinitionEditing<T, D>
  readonly isReadOnly: boolean
}

/** Fields for name and description, and for the message of the version that saving creates. */
export function DetailsFields<T extends Definition, D extends Named>(props: Props<T, D>) {
  const { definition, editing, isReadOnly } = props
  const change = (patch: Partial<Named>): void => editing.change(patch as Partial<D>)
  return (
    <Stack gap="sm">
      <TextInput
        label={t('definition:field.name')}
        value={editing.draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        readOnly={isReadOnly}
        maxLength={200}
      />
      <Textarea
        label={t('definition:field.description')}
        value={editing.draft.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        readOnly={isReadOnly}
        maxLength={2000}
        minRows={2}
        maxRows={6}
      />
      {editing.isDirty && !isReadOnly && (
        <TextInput
          label={t('definition:field.message')}
          description={t('definition:edit.message_help')}
          value={editing.message}
          onChange={(event) => editing.setMessage(event.currentTarget.value)}
          maxLength={500}
        />
      )}
      <div className="dimmed" style={{ fontSize: 12 }}>
        {tNode('definition:edit.created', {
          creator: <bdi>{definition.created_by}</bdi>,
          created: <Time at={definition.created_at} />,
        })}{' '}
        <span className="mono">{definition.id}</span>
        <CopyButton value={definition.id} />
      </div>
    </Stack>
  )
}
