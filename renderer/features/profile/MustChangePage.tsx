import './profile.texts.ts'
import { Button, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { t } from '../../lib/i18n.ts'
import { safeReturnPath } from '../../lib/page/address.ts'
import { client } from '../../lib/service/api.ts'
import { meQuery, useRealMe } from '../../lib/session/me.ts'
import { session } from '../../lib/session/session.ts'
import { Centred } from '../../ui/page/Centred.tsx'
import { PasswordForm } from './PasswordForm.tsx'

/** The page for users who must change their password before they can use the console. */
export function MustChangePage() {
  const me = useRealMe()
  const queries = useQueryClient()
  const router = useRouter()
  const navigate = useNavigate()
  const search = useSearch({ from: '/signed-in/password' })
  useEffect(() => {
    document.title = t('common:page_title', { page: t('profile:must.title') })
  }, [])
  const continueToConsole = async (): Promise<void> => {
    await queries.fetchQuery({ ...meQuery, staleTime: 0 })
    await router.invalidate()
    await navigate({ href: safeReturnPath(search.return), replace: true })
  }
  const signOut = async (): Promise<void> => {
    await client.auth.logout({}).catch(() => undefined)
    session.signOut('signed_out')
  }
  return (
    <Centred title={t('profile:must.title')}>
      <Text size="sm" c="dimmed">
        {t('profile:must.text', { name: me.username })}
      </Text>
      <Paper withBorder p="xl">
        <PasswordForm onDone={() => void continueToConsole()} />
      </Paper>
      <Button variant="subtle" color="gray" onClick={() => void signOut()}>
        {t('shell:user.sign_out')}
      </Button>
    </Centred>
  )
}
