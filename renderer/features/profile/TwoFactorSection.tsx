import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SecondFactor } from '../../../contract/accounts/second-factor.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { QueryPending } from '../../ui/feedback/QueryPending.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { Section } from '../../ui/page/Section.tsx'
import { PasswordDialog } from './PasswordDialog.tsx'
import { secondFactorQuery } from './profile.queries.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { SetUpTwoFactor } from './SetUpTwoFactor.tsx'

/** The user's two-factor authentication: its state, and the changes of it. */
export function TwoFactorSection() {
  const query = useQuery(secondFactorQuery)
  return (
    <Section title={t('profile:second_factor.title')}>
      {query.data !== undefined ? <State state={query.data} /> : <QueryPending query={query} height={64} />}
    </Section>
  )
}

type Open = 'set_up' | 'set_up_codes' | 'turn_off' | 'new_codes' | null

function State({ state }: { readonly state: SecondFactor }) {
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const close = (): void => setOpen(null)
  const refresh = (): Promise<unknown> => invalidateEntities(queries, 'user', 'me', 'audit')
  const finishSetup = (): void => {
    close()
    void refresh()
  }
  const turnOff = async (current_password: string): Promise<void> => {
    await client.secondFactor.remove({ body: { current_password } })
    await refresh()
    toast(t('profile:second_factor.turned_off'))
  }
  const replaceCodes = async (current_password: string): Promise<void> => {
    const { data } = await client.secondFactor.createRecoveryCodes({ body: { current_password } })
    await refresh()
    setCodes(data.recovery_codes)
  }
  return (
    <>
      <Description state={state} />
      <Group gap="sm" mt="sm">
        {state.enabled ? (
          <>
            <Button variant="default" onClick={() => setOpen('new_codes')}>
              {t('profile:second_factor.new_codes')}
            </Button>
            <Button variant="default" c="var(--pd-bad)" onClick={() => setOpen('turn_off')}>
              {t('profile:second_factor.turn_off')}
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setOpen('set_up')}>
            {t('profile:second_factor.turn_on')}
          </Button>
        )}
      </Group>
      {(open === 'set_up' || open === 'set_up_codes') && (
        <Dialog
          onClose={close}
          title={t(open === 'set_up' ? 'profile:second_factor.setup_title' : 'profile:codes.title')}
          size={480}
          closeOnClickOutside={false}
          // The recovery codes cannot be displayed again.
          closeOnEscape={open === 'set_up'}
          withCloseButton={open === 'set_up'}
        >
          <SetUpTwoFactor onTurnedOn={() => setOpen('set_up_codes')} onDone={finishSetup} />
        </Dialog>
      )}
      {open === 'turn_off' && (
        <PasswordDialog
          title={t('profile:second_factor.turn_off_title')}
          text={t('profile:second_factor.turn_off_text')}
          action={t('profile:second_factor.turn_off')}
          run={turnOff}
          onClose={close}
        />
      )}
      {open === 'new_codes' && (
        <PasswordDialog
          title={t('profile:second_factor.new_codes_title')}
          text={t('profile:second_factor.new_codes_text')}
          action={t('profile:second_factor.new_codes')}
          run={replaceCodes}
          onClose={close}
        />
      )}
      {codes !== null && (
        <Dialog
          onClose={() => setCodes(null)}
          title={t('profile:codes.title')}
          size={480}
          closeOnClickOutside={false}
          closeOnEscape={false}
          withCloseButton={false}
        >
          <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />
        </Dialog>
      )}
    </>
  )
}

function Description({ state }: { readonly state: SecondFactor }) {
  return (
    <Text size="sm" component="div">
      {state.enabled_at === null
        ? t('profile:second_factor.off')
        : tNode('profile:second_factor.on', { time: <Time at={state.enabled_at} /> })}{' '}
      {state.enabled && t('profile:second_factor.codes_left', { count: state.recovery_codes_left })}{' '}
      {state.required && t('profile:second_factor.required')}
    </Text>
  )
}
