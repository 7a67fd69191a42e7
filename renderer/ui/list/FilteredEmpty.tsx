import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { EmptyState } from '../feedback/EmptyState.tsx'

type Message = { readonly title: string; readonly text?: string; readonly action?: ReactNode }

type Props = {
  readonly icon: ReactNode
  readonly isFiltered: boolean
  /** Message of a list whose filters match nothing. The button removes the filters. */
  readonly filtered: Omit<Message, 'action'>
  readonly onClear: () => void
  /** Message of a list without any row; absent if the list always has one. */
  readonly unfiltered?: Message
}

/** Message of an empty list: the reason and the next step. */
export function FilteredEmpty({ icon, isFiltered, filtered, onClear, unfiltered }: Props) {
  if (!isFiltered && unfiltered !== undefined) return <EmptyState icon={icon} {...unfiltered} />
  return (
    <EmptyState
      icon={icon}
      {...filtered}
      action={
        <Button variant="default" onClick={onClear}>
          {t('common:filter.clear')}
        </Button>
      }
    />
  )
}
