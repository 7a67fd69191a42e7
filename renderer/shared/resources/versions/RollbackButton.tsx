import { Button } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import type { PageTexts } from '../texts.ts'

type Props = {
  readonly texts: PageTexts
  readonly version: string
  readonly disabledReason: DisabledReason
  readonly onClick: () => void
  readonly className?: string | undefined
}

/** Button that opens the dialog to roll back to a version. */
export const RollbackButton = ({ texts, version, disabledReason, onClick, className = '' }: Props) => (
  <WhyDisabled reason={disabledReason}>
    <Button
      className={className}
      variant="subtle"
      size="compact-xs"
      leftSection={<IconArrowBackUp size={13} />}
      aria-label={t(`${texts}:rollback.to`, { version })}
      onClick={onClick}
    >
      {t(`${texts}:rollback.button`)}
    </Button>
  </WhyDisabled>
)
