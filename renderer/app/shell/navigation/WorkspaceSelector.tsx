import { Menu, TextInput, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronDown, IconLayersSubtract, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { useShellSearch } from '../../../lib/page/address.ts'
import { client } from '../../../lib/service/api.ts'
import { workspaceQuery } from '../../../lib/service/workspaces.ts'
import { useRealMe } from '../../../lib/session/me.ts'
import { MenuLink } from '../../../ui/display/link/MenuLink.tsx'
import styles from './WorkspaceSelector.module.css'

/**
 * Selects the workspace that the pages show. It is part of the address and stays while moving between pages.
 */
export function WorkspaceSelector() {
  const [{ workspace }, setSearch] = useShellSearch()
  const [text, setText] = useState('')
  const list = useQuery({
    queryKey: ['workspace', 'selector', text],
    queryFn: ({ signal }) =>
      client.workspaces.list(
        { query: { limit: 50, sort: 'name', q: text === '' ? undefined : text } },
        { signal },
      ),
    placeholderData: keepPreviousData,
  })
  const chosen = useQuery(workspaceQuery(workspace))
  const allLabel = t(useRealMe().access === 'all' ? 'shell:workspace.all' : 'shell:workspace.own')
  const name = workspace === undefined ? allLabel : (chosen.data?.name ?? workspace)
  const rows = list.data?.data ?? []
  const isLong = (list.data?.total ?? 0) > 8 || text !== ''
  return (
    <Menu
      position="bottom-start"
      width={260}
      // Otherwise it has the focus instead of the field.
      withInitialFocusPlaceholder={!isLong}
      onClose={() => setText('')}
    >
      <Menu.Target>
        <UnstyledButton className={styles['button'] ?? ''} aria-label={t('shell:workspace.label', { name })}>
          <IconLayersSubtract size={16} stroke={1.75} />
          <span className={styles['name']}>{name}</span>
          <IconChevronDown size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {isLong && (
          <TextInput
            size="xs"
            m="xs"
            data-autofocus
            aria-label={t('shell:workspace.find')}
            placeholder={t('shell:workspace.find')}
            leftSection={<IconSearch size={14} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
        <Menu.Item
          onClick={() => setSearch({ workspace: undefined })}
          rightSection={workspace === undefined ? <IconCheck size={14} /> : null}
        >
          {allLabel}
        </Menu.Item>
        <Menu.Divider />
        {list.data?.total === 0 && text === '' && (
          <Menu.Label className={styles['none'] ?? ''}>{t('shell:workspace.none')}</Menu.Label>
        )}
        <div className={styles['list']}>
          {rows.map((row) => (
            <Menu.Item
              key={row.id}
              onClick={() => setSearch({ workspace: row.slug })}
              rightSection={row.slug === workspace || row.id === workspace ? <IconCheck size={14} /> : null}
            >
              <span className={styles['item']}>{row.name}</span>
            </Menu.Item>
          ))}
        </div>
        <Menu.Divider />
        <MenuLink to="/workspaces/{-$id}" params={{ id: undefined }}>
          {t('shell:workspace.manage')}
        </MenuLink>
      </Menu.Dropdown>
    </Menu>
  )
}
