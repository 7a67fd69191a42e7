import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'

type Props = {
  readonly label: string
  /** Props from Mantine's form. The value is the workspace's id. */
  readonly input: object
  /** Selected id. Shown while the list loads, or if the list does not contain it. */
  readonly current: string
}

export function WorkspaceField({ label, input, current }: Props) {
  const { data } = useQuery(workspaceChoicesQuery)
  const options = (data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = options.some(({ value }) => value === current)
  return (
    <Select
      {...input}
      size="sm"
      label={label}
      searchable={options.length > 8}
      data={isKnown ? options : [{ value: current, label: current }, ...options]}
    />
  )
}
