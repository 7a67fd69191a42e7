import { Radio, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { PairingWindow } from '../../../contract/accounts/pairing.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import styles from './pairing.module.css'

/** The rights that a new user gets. */
export type Rights = Pick<PairingWindow, 'role' | 'access' | 'memberships'>

type Values = {
  access: 'all' | 'listed'
  role: Role
  /** The role in each workspace by its id; empty for no access. */
  memberships: Record<string, Role | ''>
}

type Props = { readonly onSubmit: (rights: Rights) => Promise<void>; readonly onClose: () => void }

function rightsOf({ access, role, memberships }: Values): Rights {
  if (access === 'all') return { access, role, memberships: [] }
  const listed = Object.entries(memberships).flatMap(([id, chosen]) =>
    chosen === '' ? [] : [{ workspace_id: id, role: chosen }],
  )
  return { access, role: 'viewer', memberships: listed }
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
      initial={{ access: 'all', role: 'viewer', memberships: {} }}
      submitLabel={t('pairing:open')}
      onSubmit={submit}
      // A form closes after it was submitted; the dialog with the code then takes its place.
      onClose={() => isOpened.current || onClose()}
      rules={{
        memberships: (memberships, { access }) =>
          access === 'listed' && Object.values(memberships).every((role) => role === '')
            ? t('pairing:workspaces_missing')
            : null,
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
  const workspaces = useQuery(workspaceChoicesQuery)
  const { memberships } = form.values
  return (
    <fieldset className={styles['memberships']}>
      <legend>{t('pairing:workspaces')}</legend>
      {(workspaces.data ?? []).map(({ id, name }) => (
        <div key={id} className={styles['membership']}>
          <bdi className="truncate">{name}</bdi>
          <Select
            size="xs"
            aria-label={t('pairing:role_in', { workspace: name })}
            value={memberships[id] ?? ''}
            onChange={(role) =>
              form.setFieldValue('memberships', { ...memberships, [id]: (role ?? '') as Role | '' })
            }
            data={[
              { value: '', label: t('pairing:no_access') },
              ...roles.map((role) => ({ value: role, label: t(`common:role.${role}`) })),
            ]}
          />
        </div>
      ))}
      {form.errors['memberships'] !== undefined && (
        <div className={styles['error']} role="alert">
          {form.errors['memberships']}
        </div>
      )}
    </fieldset>
  )
}
