import './desktop.texts.ts'
import { Button, Switch, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DesktopBridge, DesktopChoice } from '../../../../contract/system/desktop.ts'
import { t } from '../../../lib/i18n.ts'
import { desktop } from '../../../lib/page/desktop.ts'
import { Section } from '../../../ui/page/Section.tsx'
import styles from './DesktopSettings.module.css'

/** The tray menu changes the same settings, so this is refetched each time the window gets focus. */
const stateQuery = (bridge: DesktopBridge) =>
  queryOptions({ queryKey: ['desktop'], queryFn: () => bridge.state(), staleTime: 0 })

/** The settings of the desktop app on this machine; empty in a browser. */
export function DesktopSettings() {
  return desktop === null ? null : <Choices bridge={desktop} />
}

function Choices({ bridge }: { readonly bridge: DesktopBridge }) {
  const queries = useQueryClient()
  const { data: state } = useQuery(stateQuery(bridge))
  const choose = useMutation({
    mutationFn: (choice: DesktopChoice) => bridge.choose(choice),
    onSuccess: (next) => queries.setQueryData(stateQuery(bridge).queryKey, next),
  })
  const openLogs = useMutation({ mutationFn: () => bridge.openLogFolder() })
  if (state === undefined) return null
  const { notifiesOfErrors, opensAtSignIn, keepsRunning } = state
  return (
    <Section title={t('desktop:title')}>
      <div className={styles['choices']}>
        <Switch
          label={t('desktop:notify')}
          description={t(notifiesOfErrors === null ? 'desktop:notify_cannot' : 'desktop:notify_help')}
          checked={notifiesOfErrors === true}
          disabled={notifiesOfErrors === null}
          onChange={(event) => choose.mutate({ notifiesOfErrors: event.currentTarget.checked })}
        />
        <Switch
          label={t('desktop:sign_in')}
          description={t(opensAtSignIn === null ? 'desktop:sign_in_cannot' : 'desktop:sign_in_help')}
          checked={opensAtSignIn === true}
          disabled={opensAtSignIn === null}
          onChange={(event) => choose.mutate({ opensAtSignIn: event.currentTarget.checked })}
        />
        {keepsRunning !== null && (
          <Switch
            label={t('desktop:keep')}
            description={t('desktop:keep_help')}
            checked={keepsRunning}
            onChange={(event) => choose.mutate({ keepsRunning: event.currentTarget.checked })}
          />
        )}
        {choose.isError && (
          <Text size="sm" c="var(--pd-bad)" role="alert">
            {t('desktop:not_saved')}
          </Text>
        )}
        {state.isAttached && (
          <Text size="sm" c="dimmed">
            {t('desktop:attached')}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t('desktop:about', { version: state.version })} <bdi className="mono">{state.logFile}</bdi>
        </Text>
        <Button variant="default" className={styles['logs'] ?? ''} onClick={() => openLogs.mutate()}>
          {t('desktop:open_logs')}
        </Button>
        {openLogs.isError && (
          <Text size="sm" c="var(--pd-bad)" role="alert">
            {t('desktop:no_folder')}
          </Text>
        )}
      </div>
    </Section>
  )
}
