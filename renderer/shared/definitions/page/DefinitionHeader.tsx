import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import type { Verdict } from '../../../lib/session/me.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import { type Definition, listOf } from '../definition.ts'
import type { DefinitionEditing } from '../editor/useDefinitionEditing.ts'
import styles from '../head.module.css'
import { DefinitionMenu } from '../list/DefinitionMenu.tsx'
import type { DefinitionActions } from '../list/useDefinitionActions.tsx'

type Props<T extends Definition, D extends object> = {
  readonly definition: T
  readonly editing: DefinitionEditing<T, D>
  readonly actions: DefinitionActions
  /** Reason why the draft cannot be saved, as far as the page knows; null if it can. */
  readonly whyNotSave: Verdict
  /** Further actions, before Save. */
  readonly children?: ReactNode
}

/** Header of the page of an agent or workflow: name, state and actions. */
export function DefinitionHeader<T extends Definition, D extends object>(props: Props<T, D>) {
  const { definition, editing, actions, whyNotSave, children } = props
  const navigate = useNavigate()
  const { kind } = actions
  const nothingToSave = editing.isDirty ? null : t('definition:edit.nothing')
  return (
    <div className={styles['head']}>
      <nav className={styles['crumbs']} aria-label={t('definition:crumbs')}>
        <Link to={listOf[kind]}>{t(`definition:${kind}.many`)}</Link>
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
            {editing.isDirty && <Badge tone="warn">{t('definition:edit.unsaved')}</Badge>}
            {editing.theirs !== null && (
              <button type="button" className={styles['theirs']} onClick={editing.openConflict}>
                {t('definition:edit.theirs', {
                  user: editing.theirs.updated_by,
                  version: editing.theirs.version,
                })}
              </button>
            )}
          </span>
        }
        actions={
          <>
            <DefinitionMenu
              subject={definition}
              actions={actions}
              size={28}
              onRemoved={() => void navigate({ to: listOf[kind] })}
            />
            {children}
            {editing.isDirty && (
              <Button variant="subtle" color="gray" onClick={editing.discard}>
                {t('definition:edit.discard')}
              </Button>
            )}
            <WhyDisabled reason={actions.mayNotWrite ?? nothingToSave ?? whyNotSave}>
              <Button loading={editing.isSaving} onClick={() => void editing.save()}>
                {t('common:save')}
              </Button>
            </WhyDisabled>
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
