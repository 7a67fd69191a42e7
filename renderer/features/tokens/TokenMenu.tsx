import { ActionIcon, Menu } from '@mantine/core'
import { IconCoins, IconDots, IconPlugConnected, IconTrash, IconUser } from '@tabler/icons-react'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'

type Props = {
  readonly token: ApiToken
  readonly onOwner: () => void
  readonly onGateway: () => void
  readonly onBudget: () => void
  readonly onRevoke: () => void
}

/**
 * Menu of actions for one API token, in its row. A budget limits calls of the gateway, so only tokens that may
 * use it have one.
 */
export function TokenMenu({ token, onOwner, onGateway, onBudget, onRevoke }: Props) {
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('tokens:menu', { name: token.name })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser size={14} />} onClick={onOwner}>
          {t(token.binding === 'undecided' ? 'tokens:decide' : 'tokens:change')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPlugConnected size={14} />} onClick={onGateway}>
          {t('tokens:gateway_change')}
        </Menu.Item>
        {token.gateway && (
          <Menu.Item leftSection={<IconCoins size={14} />} onClick={onBudget}>
            {t('budgets:change')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={14} />} c="var(--pd-bad)" onClick={onRevoke}>
          {t('tokens:revoke_menu')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
