import { SegmentedControl, Select } from '@mantine/core'
import { useId } from 'react'
import { type Environment, environments } from '../../../contract/live/frames.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { t } from '../../lib/i18n.ts'
import styles from './ConnectExamples.module.css'

type Props = {
  readonly namespace: Environment
  readonly onNamespace: (namespace: Environment) => void
  /** Slug or id. */
  readonly workspace: string
  readonly onWorkspace: (workspace: string) => void
  /** The names of the workspaces by slug. */
  readonly slugs: ReadonlyMap<string, string>
}

/** The fields for the environment and the workspace of the app. */
export function AppChoice({ namespace, onNamespace, workspace, onWorkspace, slugs }: Props) {
  const namespaceLabel = useId()
  return (
    <>
      <div>
        <div className={styles['label']} id={namespaceLabel}>
          {t('connect:environment')}
        </div>
        <SegmentedControl
          size="xs"
          aria-labelledby={namespaceLabel}
          data={[...environments]}
          value={namespace}
          onChange={onNamespace}
        />
      </div>
      <Select
        label={t('connect:workspace')}
        className={styles['select'] ?? ''}
        data={[...slugs].map(([value, label]) => ({ value, label }))}
        value={workspace}
        onChange={(value) => onWorkspace(value ?? defaultWorkspaceId)}
        searchable={slugs.size > 8}
      />
    </>
  )
}
