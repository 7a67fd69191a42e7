import { Button } from '@mantine/core'
import { IconPlus, IconUpload } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import type { ListReply } from '../../../lib/service/api.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import type { ListTexts } from '../texts.ts'

type Props = {
  readonly texts: ListTexts
  readonly reply: ListReply<unknown> | undefined
  readonly addDisabledReason: DisabledReason
  readonly onCreate: () => void
  readonly onImport: () => void
  /** The export, between import and create. */
  readonly children: ReactNode
}

/** Header of a list: title, number of rows, and the actions import, export and create. */
export const ListHeader = ({ texts, reply, addDisabledReason, onCreate, onImport, children }: Props) => (
  <PageHeader
    title={t(`${texts}:title`)}
    count={reply && { total: reply.total, isCapped: reply.total_capped === true }}
    purpose={t(`${texts}:purpose`)}
    actions={
      <>
        <WhyDisabled reason={addDisabledReason}>
          <Button variant="default" leftSection={<IconUpload size={14} />} onClick={onImport}>
            {t('transfer:import.button')}
          </Button>
        </WhyDisabled>
        {children}
        <WhyDisabled reason={addDisabledReason}>
          <Button leftSection={<IconPlus size={14} />} onClick={onCreate}>
            {t(`${texts}:create.action`)}
          </Button>
        </WhyDisabled>
      </>
    }
  />
)
