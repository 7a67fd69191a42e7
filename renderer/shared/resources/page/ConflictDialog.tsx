import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import type { PageTexts } from '../texts.ts'

type Props = {
  readonly texts: PageTexts
  /** The state that another user saved. */
  readonly theirs: {
    readonly version: string | null
    readonly updated_by: string
    readonly updated_at: string
  }
  readonly onClose: () => void
  /** Buttons that resolve the conflict. */
  readonly actions: ReactNode
  /** The differences. */
  readonly children: ReactNode
}

/** Dialog for a conflicting save. Both drafts stay until the user chooses. */
export const ConflictDialog = ({ texts, theirs, onClose, actions, children }: Props) => (
  <Dialog onClose={onClose} title={t(`${texts}:conflict.title`)} size={1120}>
    <Stack gap="lg">
      <Text size="sm">
        {tNode(`${texts}:conflict.text`, {
          user: (
            <b>
              <bdi>{theirs.updated_by}</bdi>
            </b>
          ),
          version: <b className="mono">{theirs.version}</b>,
          time: <Time at={theirs.updated_at} />,
        })}
      </Text>
      {children}
      <Group justify="flex-end" gap="sm">
        {actions}
      </Group>
    </Stack>
  </Dialog>
)
