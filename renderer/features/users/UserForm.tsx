import { Checkbox, Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Access, Membership } from '../../../contract/accounts/access.ts'
import type { User } from '../../../contract/accounts/users.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { draftName } from '../../lib/state/drafts.ts'
import { AccessField } from '../../shared/access/AccessField.tsx'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'

type Values = {
  username: string
  password: string
  role: Role
  access: Access
  memberships: Membership[]
  must_change_password: boolean
}

type Props = {
  /** Null for a new user. */
  readonly user: User | null
  /** The reason why the role cannot be changed, if there is one. */
  readonly roleDisabledReason?: string | null
  readonly onClose: () => void
  readonly onSaved?: (user: User) => void
}

const minPasswordLength = 8

/** Returns the rights in a request: a role in all workspaces, or roles in listed ones. */
const rightsOf = ({ role, access, memberships }: Pick<Values, 'role' | 'access' | 'memberships'>) =>
  access === 'all' ? { access, role, memberships: [] } : { access, role: 'viewer' as const, memberships }

type RoleFieldProps = {
  readonly input: object
  readonly current: Role | undefined
  readonly reason: string | null
}

const RoleField = ({ input, current, reason }: RoleFieldProps) => (
  <Radio.Group {...input} label={t('users:form.role')} description={reason}>
    <Stack gap="sm" mt="sm">
      {roles.map((role) => (
        <Radio
          key={role}
          value={role}
          label={t(`common:role.${role}`)}
          description={t(`common:role_help.${role}`)}
          disabled={reason !== null && role !== current}
        />
      ))}
    </Stack>
  </Radio.Group>
)

export function UserForm({ user, roleDisabledReason = null, onClose, onSaved }: Props) {
  const queries = useQueryClient()
  const isNew = user === null
  const initial: Values = {
    username: user?.username ?? '',
    password: '',
    role: user?.role ?? 'viewer',
    access: user?.access ?? 'all',
    memberships: user?.memberships ?? [],
    must_change_password: user?.must_change_password ?? true,
  }
  const save = async (values: Values): Promise<void> => {
    const { password, role, access, memberships, ...rest } = values
    const rights = rightsOf({ role, access, memberships })
    const isSameRights = JSON.stringify(rights) === JSON.stringify(rightsOf(initial))
    const others = Object.entries(rest).filter(([name, value]) => initial[name as keyof Values] !== value)
    const changed = { ...Object.fromEntries(others), ...(!isSameRights && rights) }
    const { data } = isNew
      ? await client.users.create({ body: { ...rest, ...rights, password } })
      : await client.users.update({
          params: { id: user.id },
          body: password === '' ? changed : { ...changed, password },
        })
    await queries.invalidateQueries({ queryKey: ['user'] })
    toast(t(isNew ? 'users:form.added' : 'users:form.saved', { name: data.username }))
    onSaved?.(data)
  }
  return (
    <FormModal
      draft={draftName('user', user?.id)}
      title={isNew ? t('users:form.add_title') : t('users:form.edit_title', { name: user.username })}
      initial={initial}
      submitLabel={isNew ? t('users:add') : t('common:save')}
      onSubmit={save}
      onClose={onClose}
      problemFields={{ 'user.username_taken': 'username', 'user.last_admin': 'role' }}
      rules={{
        username: (value) => (value.trim() === '' ? t('users:form.username_missing') : null),
        password: (value) =>
          value.length < minPasswordLength && (isNew || value !== '') ? t('users:form.password_short') : null,
      }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('username')}
            label={t('users:form.username')}
            description={isNew ? t('users:form.username_help') : undefined}
            maxLength={64}
            autoComplete="off"
            data-autofocus
          />
          <PasswordInput
            {...form.getInputProps('password')}
            label={isNew ? t('users:form.password') : t('users:form.new_password')}
            description={isNew ? t('users:form.password_help') : t('users:form.new_password_help')}
            maxLength={256}
            autoComplete="new-password"
          />
          <AccessField
            {...form.getValues()}
            onAccess={(access) => form.setFieldValue('access', access)}
            onMemberships={(memberships) => form.setFieldValue('memberships', memberships)}
            disabledReason={roleDisabledReason}
            role={
              <RoleField
                input={form.getInputProps('role')}
                current={user?.role}
                reason={roleDisabledReason}
              />
            }
          />
          <Checkbox
            {...form.getInputProps('must_change_password', { type: 'checkbox' })}
            label={t('users:form.must_change')}
            description={t('users:form.must_change_help')}
          />
        </>
      )}
    </FormModal>
  )
}
