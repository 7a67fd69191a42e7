import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { workspaceChoicesQuery } from '../lib/workspaces.ts'

type Props = {
  readonly label: string
  /** Mantine's form binding; its value is the id. */
  readonly input: object
  /** Shown while the list is on its way, and when it does not hold the chosen one. */
  readonly current: string
}

export function WorkspaceField({ label, input, current }: Props) {
  const { data } = useQuery(workspaceChoicesQuery)
  const known = (data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isKnown = known.some(({ value }) => value === current)
  return (
    <Select
      {...input}
      size="sm"
      label={label}
      searchable={known.length > 8}
      data={isKnown ? known : [{ value: current, label: current }, ...known]}
    />
  )
}
