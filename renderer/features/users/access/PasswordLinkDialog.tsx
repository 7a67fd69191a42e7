import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { t, tNode } from '../../../lib/i18n.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'

export type PasswordLink = {
  readonly token: string
  readonly username: string
  readonly expires_at: string
}

type Props = { readonly link: PasswordLink; readonly onClose: () => void }

/** Dialog with a new one-time link, which cannot be displayed again. */
export function PasswordLinkDialog({ link, onClose }: Props) {
  // A fragment is not sent to the service, so that the token is in no log.
  const address = `${location.origin}/reset#${link.token}`
  return (
    <Dialog
      onClose={onClose}
      title={t('users:access.link_ready', { name: link.username })}
      size={560}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="lg">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label={t('users:access.link_label')}
            value={address}
            readOnly
            flex={1}
            classNames={{ input: 'mono' }}
            autoComplete="off"
            data-autofocus
          />
          <CopyButton value={address} label={t('users:access.link_copy')} />
        </Group>
        <Text size="sm" component="div">
          {tNode('users:access.link_note', { time: <Time at={link.expires_at} /> })}
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>{t('users:access.link_done')}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
