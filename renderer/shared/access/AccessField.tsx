import { ActionIcon, Radio, Select, Stack, Table } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Access, Membership } from '../../../contract/accounts/access.ts'
import { roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import styles from './AccessField.module.css'

type Props = {
  readonly access: Access
  readonly memberships: readonly Membership[]
  readonly onAccess: (access: Access) => void
  readonly onMemberships: (memberships: Membership[]) => void
  /** The field for the role in every workspace. */
  readonly role: ReactNode
  /** The reason why the access cannot be limited, if there is one. */
  readonly disabledReason?: string | null
}

/** The access of a user or API token: all workspaces with a role, or a table of workspaces with their roles. */
export function AccessField({ access, role, disabledReason = null, onAccess, ...list }: Props) {
  return (
    <>
      <Radio.Group
        label={t('common:access.label')}
        description={disabledReason}
        value={access}
        onChange={(value) => onAccess(value === 'listed' ? 'listed' : 'all')}
      >
        <Stack gap="sm" mt="sm">
          {(['all', 'listed'] as const).map((each) => (
            <Radio
              key={each}
              value={each}
              label={t(`common:access.${each}`)}
              description={t(`common:access.${each}_help`)}
              disabled={disabledReason !== null && each !== access}
            />
          ))}
        </Stack>
      </Radio.Group>
      {access === 'all' ? role : <WorkspaceRoles {...list} />}
    </>
  )
}

type ListProps = Pick<Props, 'memberships' | 'onMemberships'>

/** The table of workspaces with a role each, and the field that adds one. */
export function WorkspaceRoles({ memberships, onMemberships }: ListProps) {
  const { data: workspaces = [] } = useQuery(workspaceChoicesQuery)
  const nameOf = (id: string): string => workspaces.find((each) => each.id === id)?.name ?? id
  const free = workspaces.filter(({ id }) => !memberships.some(({ workspace_id }) => workspace_id === id))
  const change = (id: string, role: Membership['role']) =>
    onMemberships(memberships.map((each) => (each.workspace_id === id ? { ...each, role } : each)))
  return (
    <div>
      {memberships.length === 0 && <p className="dimmed">{t('common:access.none')}</p>}
      {memberships.length > 0 && (
        <Table aria-label={t('common:access.table')} className={styles['table'] ?? ''}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common:access.workspace')}</Table.Th>
              <Table.Th className={styles['role'] ?? ''}>{t('common:access.role')}</Table.Th>
              <Table.Th className={styles['remove'] ?? ''} />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {memberships.map(({ workspace_id: id, role }) => (
              <Table.Tr key={id}>
                <Table.Td className={styles['name'] ?? ''}>
                  <bdi>{nameOf(id)}</bdi>
                </Table.Td>
                <Table.Td className={styles['role'] ?? ''}>
                  <Select
                    size="xs"
                    aria-label={t('common:access.role_in', { name: nameOf(id) })}
                    data={roles.map((each) => ({ value: each, label: t(`common:role.${each}`) }))}
                    value={role}
                    onChange={(value) => change(id, roles.find((each) => each === value) ?? role)}
                  />
                </Table.Td>
                <Table.Td className={styles['remove'] ?? ''}>
                  <ActionIcon
                    variant="subtle"
                    aria-label={t('common:access.remove', { name: nameOf(id) })}
                    onClick={() => onMemberships(memberships.filter((each) => each.workspace_id !== id))}
                  >
                    <IconX size={14} />
                  </ActionIcon>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Select
        size="sm"
        mt="sm"
        aria-label={t('common:access.add')}
        placeholder={t('common:access.add')}
        data={free.map(({ id, name }) => ({ value: id, label: name }))}
        value={null}
        onChange={(id) =>
          id !== null && onMemberships([...memberships, { workspace_id: id, role: 'viewer' }])
        }
        disabled={free.length === 0}
        searchable={free.length > 8}
      />
    </div>
  )
}
