import { PasswordInput as Base, type PasswordInputProps } from '@mantine/core'
import { t } from '../../lib/i18n.ts'

type Props = PasswordInputProps & { readonly label: string }

/** Field for a secret. The button that shows its text names the field, because a page may have several. */
export const PasswordInput = (props: Props) => (
  <Base
    visibilityToggleButtonProps={{ 'aria-label': t('common:secret.show', { label: props.label }) }}
    {...props}
  />
)
