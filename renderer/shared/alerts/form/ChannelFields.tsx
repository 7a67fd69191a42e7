import { Button, Checkbox, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import type { Alert } from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { useDisabledReason } from '../../../lib/session/me.ts'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { PasswordInput } from '../../../ui/input/PasswordInput.tsx'
import { askForNotifications, notificationState } from '../notifications.ts'
import styles from './form.module.css'
import type { AlertValues } from './values.ts'

type Props = {
  readonly form: UseFormReturnType<AlertValues>
  /** The webhook before the change; null if the alert has none. */
  readonly webhook: Alert['webhook']
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `whsec_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The fields that define who is notified: desktop notification and webhook. */
export function ChannelFields({ form, webhook }: Props) {
  const [permission, setPermission] = useState(notificationState)
  const { hasWebhook, desktop } = form.getValues()
  return (
    <fieldset className={styles['channels']}>
      <legend className={styles['legend']}>{t('alerts:form.channels')}</legend>
      <p className={styles['help']}>{t('alerts:form.bell')}</p>
      <Checkbox
        {...form.getInputProps('desktop', { type: 'checkbox' })}
        label={t('alerts:form.desktop')}
        description={t(
          desktop && permission === 'denied' ? 'alerts:form.desktop_blocked' : 'alerts:form.desktop_help',
        )}
        onChange={(event) => {
          const isOn = event.currentTarget.checked
          form.setFieldValue('desktop', isOn)
          if (isOn) void askForNotifications().then(setPermission)
        }}
      />
      <Checkbox
        {...form.getInputProps('hasWebhook', { type: 'checkbox' })}
        label={t('alerts:form.webhook')}
        description={t('alerts:form.webhook_help')}
      />
      {hasWebhook && <WebhookFields form={form} webhook={webhook} />}
    </fieldset>
  )
}

function WebhookFields({ form, webhook }: Props) {
  const localDisabledReason = useDisabledReason()('providers.manage')
  const { secret, local } = form.getValues().webhook
  return (
    <div className={styles['webhook']}>
      <TextInput
        {...form.getInputProps('webhook.url')}
        label={t('alerts:form.url')}
        description={local ? t('alerts:form.local_help') : t('alerts:form.url_help')}
        classNames={{ input: 'mono' }}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
      />
      <div className={styles['secret']}>
        <PasswordInput
          {...form.getInputProps('webhook.secret')}
          label={t('alerts:form.secret')}
          description={t(webhook === null ? 'alerts:form.secret_help' : 'alerts:form.secret_rotate')}
          placeholder={webhook === null ? '' : t('alerts:form.secret_kept')}
          classNames={{ innerInput: 'mono' }}
          maxLength={256}
          autoComplete="off"
          data-1p-ignore
          data-lpignore="true"
          spellCheck={false}
        />
        <span className={styles['secretTools']}>
          <Button variant="default" onClick={() => form.setFieldValue('webhook.secret', newSecret())}>
            {t('alerts:form.generate')}
          </Button>
          {secret !== '' && <CopyButton value={secret} />}
        </span>
      </div>
      <Checkbox
        {...form.getInputProps('webhook.local', { type: 'checkbox' })}
        label={t('alerts:form.local')}
        description={localDisabledReason ?? t('alerts:form.local_help')}
        disabled={localDisabledReason !== null && !local}
      />
    </div>
  )
}
