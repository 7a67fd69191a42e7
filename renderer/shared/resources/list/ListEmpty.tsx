import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import { InWorkspace } from '../../workspaces/InWorkspace.tsx'
import type { ListTexts } from '../texts.ts'

type Props = {
  readonly texts: ListTexts
  readonly icon: ReactNode
  /** Note on the search if filters hide every row; null if none is set. */
  readonly filteredText: string | null
  readonly onClear: () => void
  readonly addDisabledReason: DisabledReason
  readonly onCreate: () => void
  readonly onImport: () => void
}

/** Message of an empty list: the reason and the next step. */
export function ListEmpty(props: Props) {
  const { texts, icon, filteredText, onClear, addDisabledReason, onCreate, onImport } = props
  if (filteredText !== null) {
    return (
      <EmptyState
        icon={icon}
        title={t(`${texts}:empty.filtered`)}
        text={filteredText}
        action={
          <Button variant="default" onClick={onClear}>
            {t('common:filter.clear')}
          </Button>
        }
      />
    )
  }
  return (
    <InWorkspace>
      <EmptyState
        icon={icon}
        title={t(`${texts}:empty.title`)}
        text={t(`${texts}:empty.text`)}
        action={
          <>
            <WhyDisabled reason={addDisabledReason}>
              <Button onClick={onCreate}>{t(`${texts}:create.action`)}</Button>
            </WhyDisabled>
            <WhyDisabled reason={addDisabledReason}>
              <Button variant="default" onClick={onImport}>
                {t('transfer:import.button')}
              </Button>
            </WhyDisabled>
          </>
        }
      />
    </InWorkspace>
  )
}
