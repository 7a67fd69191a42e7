import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { Time } from '../../../ui/display/Time.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { ResourceMenu } from '../../resources/list/ResourceMenu.tsx'
import { EditingState } from '../../resources/page/EditingState.tsx'
import styles from '../../resources/page/head.module.css'
import { SaveButtons } from '../../resources/page/SaveButtons.tsx'
import { WorkspaceCrumb } from '../../workspaces/WorkspaceCrumb.tsx'
import { type Definition, listOf } from '../definition.ts'
import type { DefinitionEditing } from '../editor/useDefinitionEditing.ts'
import type { DefinitionActions } from '../list/useDefinitionActions.tsx'

type Props<T extends Definition, D extends object> = {
  readonly definition: T
  readonly editing: DefinitionEditing<T, D>
  readonly actions: DefinitionActions
  /** Reason why the draft cannot be saved, as far as the page knows; null if it can. */
  readonly saveDisabledReason: DisabledReason
  /** Further actions, before Save. */
  readonly children?: ReactNode
}

/** Header of the page of an agent or workflow: name, state and actions. */
export function DefinitionHeader<T extends Definition, D extends object>(props: Props<T, D>) {
  const { definition, editing, actions, saveDisabledReason, children } = props
  const navigate = useNavigate()
  const { kind } = actions
  return (
    <div className={styles['head']}>
      <nav className={styles['crumbs']} aria-label={t('definition:crumbs')}>
        <Link to={listOf[kind]} activeOptions={{ exact: true }}>
          {t(`definition:${kind}.many`)}
        </Link>
        <WorkspaceCrumb workspace={definition.workspace_id} list={listOf[kind]} />
      </nav>
      <PageHeader
        title={definition.key}
        purpose={
          <span className={styles['status']} data-wide data-testid="definition-status">
            {definition.name !== definition.key && <bdi className={styles['name']}>{definition.name}</bdi>}
            <span>
              {tNode('definition:edit.live', { version: <b className="mono">{definition.version}</b> })}
            </span>
            <span>
              {tNode('definition:edit.changed', {
                user: <bdi>{definition.updated_by}</bdi>,
                time: <Time at={definition.updated_at} />,
              })}
            </span>
            <EditingState
              editing={editing}
              unsaved={t('definition:edit.unsaved')}
              theirsText={({ updated_by: user, version }) => t('definition:edit.theirs', { user, version })}
            />
          </span>
        }
        actions={
          <>
            <ResourceMenu
              texts="definition"
              subject={definition}
              actions={actions}
              size={28}
              onRemoved={() => void navigate({ to: listOf[kind] })}
            />
            {children}
            <SaveButtons
              texts="definition"
              editing={editing}
              writeDisabledReason={actions.writeDisabledReason}
              saveDisabledReason={saveDisabledReason}
              label={t('common:save')}
              variant="filled"
            />
          </>
        }
      />
      {editing.isRestored && (
        <p className={styles['restored']} role="status">
          {t('common:form.restored')}
        </p>
      )}
    </div>
  )
}
