import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { captureModes } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'
import { useShellSearch } from '../../../lib/page/address.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import type { Setup } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'

type Props = { readonly setup: Setup; readonly change: PlaygroundSession['change'] }

/** The workspace that runs belong to, and the capture mode. */
export function Options({ setup, change }: Props) {
  const [{ workspace = 'default' }] = useShellSearch()
  const workspaces = useQuery(workspaceChoicesQuery).data ?? []
  const current = setup.workspace ?? workspaces.find(({ slug }) => slug === workspace)?.id ?? workspace
  const options = workspaces.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      {setup.subject === null && (
        <NativeSelect
          size="xs"
          label={t('playground:options.workspace')}
          description={t('playground:options.workspace_help')}
          value={current}
          data={
            options.some(({ value }) => value === current)
              ? options
              : [{ value: current, label: current }, ...options]
          }
          onChange={(event) => change({ workspace: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        size="xs"
        label={t('playground:options.capture')}
        description={t('playground:options.capture_help')}
        value={setup.capture ?? ''}
        data={[
          { value: '', label: t('playground:options.capture_workspace') },
          ...captureModes.map((mode) => ({ value: mode, label: t(`playground:options.capture_${mode}`) })),
        ]}
        onChange={(event) =>
          change({ capture: captureModes.find((mode) => mode === event.currentTarget.value) ?? null })
        }
      />
    </>
  )
}
