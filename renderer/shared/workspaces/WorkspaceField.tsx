import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Permission } from '../../../contract/common/roles.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { useWorkspacesWith } from './useWorkspacesWith.ts'

type Props = {
  readonly label: string
  /** Props from Mantine's form. The value is the workspace's id. */
  readonly input: object
  /** Selected id. Shown while the list loads, or if the list does not contain it. */
  readonly current: string
  /** Only workspaces in which the user has it are offered. */
  readonly permission?: Permission
}

export function WorkspaceField({ label, input, current, permission = 'resources.write' }: Props) {
  const { data } = useQuery(workspaceChoicesQuery)
  const options = (useWorkspacesWith(permission) ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const name = data?.find(({ id }) => id === current)?.name ?? current
  const isKnown = options.some(({ value }) => value === current)
  return (
    <Select
      {...input}
      size="sm"
      label={label}
      searchable={options.length > 8}
      data={isKnown ? options : [{ value: current, label: name }, ...options]}
    />
  )
}
