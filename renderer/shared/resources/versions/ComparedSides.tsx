import { ActionIcon, NativeSelect, type NativeSelectProps, Tooltip } from '@mantine/core'
import { IconArrowsLeftRight } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import type { PageTexts } from '../texts.ts'
import type { Sides, SidesPatch } from './sides.ts'
import styles from './timeline.module.css'

type Choices = NonNullable<NativeSelectProps['data']>
type Props = {
  readonly texts: PageTexts
  readonly sides: Sides
  /** The versions that can be chosen for each side. */
  readonly choices: { readonly from: Choices; readonly to: Choices }
  readonly swapDisabledReason?: DisabledReason
  readonly onCompare: (patch: SidesPatch) => void
}

/** Two lists to choose the compared versions, and a button that swaps them. */
export function ComparedSides({ texts, sides, choices, swapDisabledReason = null, onCompare }: Props) {
  const { from, to } = sides
  return (
    <span className={styles['sides']}>
      <NativeSelect
        size="xs"
        aria-label={t(`${texts}:versions.from`)}
        value={from}
        data={choices.from}
        onChange={(event) => onCompare({ from: event.currentTarget.value })}
      />
      <Tooltip label={swapDisabledReason ?? t(`${texts}:versions.swap`)}>
        <ActionIcon
          aria-label={t(`${texts}:versions.swap`)}
          {...(swapDisabledReason !== null && { 'data-disabled': true, 'aria-disabled': true })}
          onClick={() => {
            if (swapDisabledReason === null) onCompare({ from: to, to: from })
          }}
        >
          <IconArrowsLeftRight size={15} />
        </ActionIcon>
      </Tooltip>
      <NativeSelect
        size="xs"
        aria-label={t(`${texts}:versions.to`)}
        value={to}
        data={choices.to}
        onChange={(event) => onCompare({ to: event.currentTarget.value })}
      />
    </span>
  )
}
