import { Alert, Button, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { RemoteBridge, RemoteState } from '../../../contract/system/desktop.ts'
import { t } from '../../lib/i18n.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { session } from '../../lib/session/session.ts'

/** Signs in as the user of the pairing of the desktop app. The app stores no password. */
export function DeviceStep({ app }: { readonly app: RemoteBridge }) {
  // Not a query: signing out clears all of them while this is shown.
  const [state, setState] = useState<RemoteState | null>(null)
  useEffect(() => {
    // Without an answer the button has no name of a user, and works.
    void app.state().then(setState, () => undefined)
  }, [app])
  const signIn = useFormMutation({
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
      <Button loading={signIn.isPending} onClick={() => signIn.mutate()}>
        {state === null ? t('login:sign_in') : t('login:device.sign_in', { name: state.username })}
      </Button>
      <Button variant="default" onClick={() => void app.showServers()}>
        {t('login:device.servers')}
      </Button>
    </Stack>
  )
}
