import { SegmentedControl } from '@mantine/core'
import { type PromptType, promptTypes } from '../../../contract/prompts/prompt-chat.ts'
import { t } from '../../lib/i18n.ts'

type Props = {
  readonly value: PromptType
  readonly onChange: (type: PromptType) => void
  readonly isDisabled?: boolean
}

/** The choice between a text and a chat. */
export function TypeControl({ value, onChange, isDisabled = false }: Props) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('model:type.label')}
      value={value}
      disabled={isDisabled}
      data={promptTypes.map((type) => ({ value: type, label: t(`model:type.${type}`) }))}
      onChange={onChange}
    />
  )
}
