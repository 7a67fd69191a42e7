import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { RemoteBridge } from '../../../contract/system/desktop.ts'
import { t } from '../../lib/i18n.ts'
import { session } from '../../lib/session/session.ts'

/** Signs in as the user for whom the desktop app is paired. The app stores no password. */
export function DeviceStep({ app }: { readonly app: RemoteBridge }) {
  const { data } = useQuery({ queryKey: ['desktop'], queryFn: () => app.state() })
  const signIn = useMutation({
    mutationFn: () => app.signIn(),
    onSuccess: (token) => {
      if (token !== null) session.signIn(token)
    },
  })
  // The app shows the reason in its window for servers.
  const isRefused = signIn.isError || signIn.data === null
  return (
    <Stack gap="lg">
      <Text size="sm">{t('login:device.text')}</Text>
      {isRefused && (
        <Alert color="red" variant="light" role="alert">
          {t('login:device.refused')}
        </Alert>
      )}
      <Button loading={signIn.isPending} onClick={() => signIn.mutate()} disabled={data === undefined}>
        {t('login:device.sign_in', { name: data?.username ?? '' })}
      </Button>
      <Button variant="default" onClick={() => void app.showServers()}>
        {t('login:device.servers')}
      </Button>
    </Stack>
  )
}
