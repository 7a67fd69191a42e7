import { Button, Group } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { neighbourQuery } from './run.queries.ts'

type Props = {
  readonly run: RunDetail & { readonly ref_key: string }
  readonly onOpen: (id: string) => void
}

/** Buttons to the previous and next run of the same key, regardless of the list's filters. */
export function SameKey({ run, onOpen }: Props) {
  return (
    <Group gap={8}>
      <NeighbourButton run={run} direction="newer" onOpen={onOpen} />
      <NeighbourButton run={run} direction="older" onOpen={onOpen} />
    </Group>
  )
}

function NeighbourButton({ run, direction, onOpen }: Props & { readonly direction: 'older' | 'newer' }) {
  const id = useQuery(neighbourQuery(run, direction)).data
  const isEnd = id === undefined || id === null
  const icon =
    direction === 'newer'
      ? { leftSection: <IconChevronLeft size={14} /> }
      : { rightSection: <IconChevronRight size={14} /> }
  return (
    <Button
      variant="default"
      // Not `disabled`, because the button would lose the focus while the next run loads and at either end.
      {...(isEnd && { 'data-disabled': true, 'aria-disabled': true })}
      onClick={() => {
        if (!isEnd) onOpen(String(id))
      }}
      {...icon}
    >
      {t(`runs:same_key.${direction}`)}
    </Button>
  )
}
