import { Button, type ButtonVariant } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import type { Editing } from '../../editing/useEditing.ts'
import type { PageTexts } from '../texts.ts'

type Props = {
  readonly texts: PageTexts
  readonly editing: Pick<Editing<unknown, object>, 'isDirty' | 'isSaving' | 'discard' | 'save'>
  readonly writeDisabledReason: DisabledReason
  /** Reason why the draft cannot be saved, as far as the page knows; null if it can. */
  readonly saveDisabledReason: DisabledReason
  readonly label: string
  readonly variant: ButtonVariant
}

/** Buttons that discard and save unsaved changes. */
export function SaveButtons(props: Props) {
  const { texts, editing, writeDisabledReason, saveDisabledReason, label, variant } = props
  const nothingToSave = editing.isDirty ? null : t(`${texts}:edit.nothing`)
  return (
    <>
      {editing.isDirty && (
        <Button variant="subtle" color="gray" onClick={editing.discard}>
          {t(`${texts}:edit.discard`)}
        </Button>
      )}
      <WhyDisabled reason={writeDisabledReason ?? nothingToSave ?? saveDisabledReason}>
        <Button variant={variant} loading={editing.isSaving} onClick={() => void editing.save()}>
          {label}
        </Button>
      </WhyDisabled>
    </>
  )
}
