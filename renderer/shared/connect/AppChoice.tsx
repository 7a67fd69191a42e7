import { SegmentedControl, Select } from '@mantine/core'
import { useId } from 'react'
import { type Environment, environments } from '../../../contract/common/environments.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { t } from '../../lib/i18n.ts'
import styles from './ConnectExamples.module.css'

type Props = {
  readonly env: Environment
  readonly onEnv: (env: Environment) => void
  /** Slug or id. */
  readonly workspace: string
  readonly onWorkspace: (workspace: string) => void
  /** The names of the workspaces by slug. */
  readonly slugs: ReadonlyMap<string, string>
}

/** The fields for the environment and the workspace of the app. */
export function AppChoice({ env, onEnv, workspace, onWorkspace, slugs }: Props) {
  const envLabel = useId()
  return (
    <>
      <div>
        <div className={styles['label']} id={envLabel}>
          {t('connect:environment')}
        </div>
        <SegmentedControl
          size="xs"
          aria-labelledby={envLabel}
          data={[...environments]}
          value={env}
          onChange={onEnv}
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
