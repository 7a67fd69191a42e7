import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { Verdict } from '../../../lib/session/me.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'

type Props = {
  readonly icon: ReactNode
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly title: string
  readonly text: string
  /** Title if filters hide every row. */
  readonly filtered: string
  readonly whyNotAdd: Verdict
  readonly add: string
  readonly onAdd: () => void
  readonly onImport: () => void
}

/** Message of an empty list: the reason and the next step. */
export function DefinitionEmpty(props: Props) {
  const { icon, isFiltered, onClear, whyNotAdd } = props
  if (isFiltered) {
    return (
      <EmptyState
        icon={icon}
        title={props.filtered}
        text={t('definition:empty.filtered')}
        action={
          <Button variant="default" onClick={onClear}>
            {t('common:filter.clear')}
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState
      icon={icon}
      title={props.title}
      text={props.text}
      action={
        <>
          <WhyDisabled reason={whyNotAdd}>
            <Button onClick={props.onAdd}>{props.add}</Button>
          </WhyDisabled>
          <WhyDisabled reason={whyNotAdd}>
            <Button variant="default" onClick={props.onImport}>
              {t('transfer:import.button')}
            </Button>
          </WhyDisabled>
        </>
      }
    />
  )
}
