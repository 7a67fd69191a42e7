import { Alert, Button, Divider } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { deviceHeaders } from '../../lib/session/device.ts'
import { getPasskey, hasPasskeys, isCancelled } from '../../lib/session/passkeys.ts'
import { session } from '../../lib/session/session.ts'

/** Button to sign in with a passkey; nothing where the browser or the address has none. */
export function PasskeyButton() {
  const signIn = useFormMutation({
    mutationFn: async () => {
      const headers = deviceHeaders()
      const passkey = await getPasskey(await client.passkeys.signInOptions({}, { headers }))
      return client.auth.login({ body: { passkey: { ...passkey } } as PasskeyBody }, { headers })
    },
    onSuccess: ({ token }) => session.signIn(token),
  })
  if (!hasPasskeys()) return null
  return (
    <>
      <Divider label={t('login:or')} />
      {signIn.error !== null && !isCancelled(signIn.error) && (
        <Alert color="red" variant="light" role="alert">
          {asApiError(signIn.error)?.message ?? t('login:passkey_failed')}
        </Alert>
      )}
      <Button
        variant="default"
        leftSection={<IconFingerprint size={16} />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
      >
        {t('login:passkey')}
      </Button>
    </>
  )
}

/** The library's type of the reply differs from the contract only in optional fields. */
type PasskeyBody = Parameters<typeof client.auth.login>[0]['body']
