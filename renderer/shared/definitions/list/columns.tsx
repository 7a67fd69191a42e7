import { t } from '../../../lib/i18n.ts'
import type { Column } from '../../../ui/table/columns.ts'
import { ChangedBy, truncated } from '../../resources/list/cells.tsx'
import { ResourceMenu } from '../../resources/list/ResourceMenu.tsx'
import type { Definition } from '../definition.ts'
import styles from './list.module.css'
import type { DefinitionActions } from './useDefinitionActions.tsx'

export type DefinitionRow = Pick<
  Definition,
  'id' | 'workspace_id' | 'key' | 'name' | 'version' | 'updated_by' | 'updated_at'
>

type Options<T> = {
  /** Width of the name, in pixels. */
  readonly nameWidth: number
  /** Width of the frame from which a column is shown, in pixels (see `Column.minFrameWidth`). */
  readonly minFrameWidth: { readonly name: number; readonly version: number; readonly updated: number }
  /** Columns between the name and the version. */
  readonly extraColumns: readonly Column<T>[]
}

/** Returns the columns of a list of agents or workflows. */
export const definitionColumns = <T extends DefinitionRow>(
  actions: DefinitionActions,
  { nameWidth, minFrameWidth, extraColumns }: Options<T>,
): readonly Column<T>[] => [
  {
    key: 'key',
    title: t('definition:field.key'),
    sortKey: 'key',
    isFixed: true,
    render: (row) => <span className={`mono ${truncated} ${styles['key']}`}>{row.key}</span>,
  },
  {
    key: 'name',
    title: t('definition:field.name'),
    sortKey: 'name',
    width: nameWidth,
    minFrameWidth: minFrameWidth.name,
    render: (row) => <bdi className={truncated}>{row.name}</bdi>,
  },
  ...extraColumns,
  {
    key: 'version',
    title: t('definition:field.version'),
    width: 76,
    minFrameWidth: minFrameWidth.version,
    render: (row) => <span className="mono">{row.version}</span>,
  },
  {
    key: 'updated',
    title: t('definition:field.updated'),
    sortKey: 'updated_at',
    width: 164,
    minFrameWidth: minFrameWidth.updated,
    render: (row) => <ChangedBy at={row.updated_at} by={row.updated_by} />,
  },
  {
    key: 'menu',
    title: t('definition:field.actions'),
    width: 80,
    isFixed: true,
    render: (row) => <ResourceMenu texts="definition" subject={row} actions={actions} size={24} />,
  },
]
