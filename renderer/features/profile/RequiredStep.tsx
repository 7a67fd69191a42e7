import './profile.texts.ts'
import { Button, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { t } from '../../lib/i18n.ts'
import { safeReturnPath } from '../../lib/page/address.ts'
import { meQuery, useRealMe } from '../../lib/session/me.ts'
import { signOut } from '../../lib/session/signOut.ts'
import { Centred } from '../../ui/page/Centred.tsx'

type Props = {
  readonly texts: 'must' | 'must_set_up'
  /** The path of the console to open afterwards. */
  readonly returnPath: string | undefined
  /** The form of the step. It calls `onDone` when the service has accepted it. */
  readonly children: (onDone: () => void) => ReactNode
}

/** A page with a step that a user must complete before using the console. */
export function RequiredStep({ texts, returnPath, children }: Props): ReactNode {
  const me = useRealMe()
  const queries = useQueryClient()
  const router = useRouter()
  const navigate = useNavigate()
  const title = t(`profile:${texts}.title`)
  useEffect(() => {
    document.title = t('common:page_title', { page: title })
  }, [title])
  const continueToConsole = async (): Promise<void> => {
    await queries.fetchQuery({ ...meQuery, staleTime: 0 })
    await router.invalidate()
    await navigate({ href: safeReturnPath(returnPath), replace: true })
  }
  return (
    <Centred title={title}>
      <Text size="sm" c="dimmed">
        {t(`profile:${texts}.text`, { name: me.username })}
      </Text>
      <Paper withBorder p="xl">
        {children(() => void continueToConsole())}
      </Paper>
      <Button variant="subtle" color="gray" onClick={() => void signOut()}>
        {t('shell:user.sign_out')}
      </Button>
    </Centred>
  )
}
