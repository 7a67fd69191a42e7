import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../../contract/accounts/users.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { Facts } from '../../../ui/page/Facts.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { refreshUsers } from '../userActions.tsx'
import { type PasswordLink, PasswordLinkDialog } from './PasswordLinkDialog.tsx'

/** A user's sign-in methods, and an admin's actions on them. */
export function UserAccess({ user }: { readonly user: User }) {
  const queries = useQueryClient()
  const [link, setLink] = useState<PasswordLink | null>(null)
  const { id, username } = user
  const name = <b>{username}</b>

  const createLink = (): Promise<boolean> =>
    confirm({
      title: t('users:access.link_title', { name: username }),
      body: tNode('users:access.link_body', { name }),
      action: t('users:access.link_action'),
      run: async () => {
        const { data } = await client.passwordLinks.create({ params: { id } })
        await refreshUsers(queries)
        setLink(data)
      },
    })
  const reset = (): Promise<boolean> =>
    confirm({
      title: t('users:access.reset_title', { name: username }),
      body: tNode('users:access.reset_body', { name }),
      action: t('users:access.reset_action'),
      isDangerous: true,
      run: async () => {
        await client.secondFactor.reset({ params: { id } })
        await refreshUsers(queries)
        toast(t('users:access.reset_done', { name: username }))
      },
    })

  return (
    <Section title={t('users:access.title')}>
      <Facts
        facts={[
          {
            label: t('users:access.second_factor'),
            value: t(user.second_factor ? 'users:access.on' : 'users:access.off'),
          },
        ]}
      />
      <Group gap="sm" mt="sm">
        <WhyDisabled reason={user.disabled ? t('users:access.link_disabled') : null}>
          <Button variant="default" onClick={() => void createLink()}>
            {t('users:access.link')}
          </Button>
        </WhyDisabled>
        <Button variant="default" onClick={() => void reset()}>
          {t('users:access.reset')}
        </Button>
      </Group>
      {link !== null && <PasswordLinkDialog link={link} onClose={() => setLink(null)} />}
    </Section>
  )
}
