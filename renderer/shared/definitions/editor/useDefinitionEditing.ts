import { t } from '../../../lib/i18n.ts'
import type { EditingKind } from '../../editing/kind.ts'
import { type Editing, useEditing } from '../../editing/useEditing.ts'
import { type Definition, definitionQuery, type Kind, refreshDefinitions } from '../definition.ts'

/** Editing of one kind of definition. */
export type EditingOf<T extends Definition, D extends object> = Pick<
  EditingKind<T, D>,
  'draftOf' | 'fetch' | 'update'
> & { readonly kind: Kind }

export type DefinitionEditing<T extends Definition, D extends object> = Editing<T, D>

/** Edits an agent or workflow. */
export const useDefinitionEditing = <T extends Definition, D extends object>(
  { kind, ...operations }: EditingOf<T, D>,
  current: T,
): DefinitionEditing<T, D> =>
  useEditing(
    {
      ...operations,
      noun: kind,
      queryKeyOf: (id) => definitionQuery[kind](id).queryKey,
      refresh: (queries) => refreshDefinitions(queries, kind),
      savedText: ({ key, version }) => t('definition:edit.saved', { key, version }),
    },
    current,
  )
