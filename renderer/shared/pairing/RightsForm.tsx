import { Radio, SegmentedControl, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useRef } from 'react'
import type { Membership } from '../../../contract/accounts/access.ts'
import type { PairingWindow } from '../../../contract/accounts/pairing.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { WorkspaceRoles } from '../access/AccessField.tsx'
import styles from './pairing.module.css'

/** The rights that a new user gets. */
export type Rights = Pick<PairingWindow, 'role' | 'access' | 'memberships'>

type Values = {
  access: 'all' | 'listed'
  role: Role
  memberships: Membership[]
}

type Props = { readonly onSubmit: (rights: Rights) => Promise<void>; readonly onClose: () => void }

function rightsOf({ access, role, memberships }: Values): Rights {
  return access === 'all' ? { access, role, memberships: [] } : { access, role: 'viewer', memberships }
}

/** The form for the rights that a new user gets. */
export function RightsForm({ onSubmit, onClose }: Props) {
  const isOpened = useRef(false)
  const submit = async (values: Values): Promise<void> => {
    await onSubmit(rightsOf(values))
    isOpened.current = true
  }
  return (
    <FormModal<Values>
      title={t('pairing:title')}
      initial={{ access: 'all', role: 'viewer', memberships: [] }}
      submitLabel={t('pairing:open')}
      onSubmit={submit}
      // A form closes after it was submitted; the dialog with the code then takes its place.
      onClose={() => isOpened.current || onClose()}
      rules={{
        memberships: (memberships, { access }) =>
          access === 'listed' && memberships.length === 0 ? t('pairing:workspaces_missing') : null,
      }}
    >
      {(form) => (
        <>
          <div>
            <Text size="sm" fw={500} mb={4}>
              {t('pairing:access')}
            </Text>
            <SegmentedControl
              {...form.getInputProps('access')}
              aria-label={t('pairing:access')}
              fullWidth
              data={[
                { value: 'all', label: t('pairing:all') },
                { value: 'listed', label: t('pairing:listed') },
              ]}
            />
          </div>
          {form.values.access === 'all' ? <RoleChoice form={form} /> : <Memberships form={form} />}
          <Text size="xs" c="dimmed">
            {t('pairing:existing_note')}
          </Text>
        </>
      )}
    </FormModal>
  )
}

type FieldProps = { readonly form: UseFormReturnType<Values> }

const RoleChoice = ({ form }: FieldProps) => (
  <Radio.Group {...form.getInputProps('role')} label={t('pairing:role')}>
    <Stack gap="sm" mt="sm">
      {roles.map((role) => (
        <Radio
          key={role}
          value={role}
          label={t(`common:role.${role}`)}
          description={t(`common:role_help.${role}`)}
        />
      ))}
    </Stack>
  </Radio.Group>
)

function Memberships({ form }: FieldProps) {
  return (
    <fieldset className={styles['memberships']}>
      <legend>{t('pairing:workspaces')}</legend>
      <WorkspaceRoles
        memberships={form.values.memberships}
        onMemberships={(memberships) => form.setFieldValue('memberships', memberships)}
      />
      {form.errors['memberships'] !== undefined && (
        <div className={styles['error']} role="alert">
          {form.errors['memberships']}
        </div>
      )}
    </fieldset>
  )
}
