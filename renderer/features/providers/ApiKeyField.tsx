import { Button, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import type { Provider } from '../../../contract/models/providers.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import type { ProviderValues } from './form.ts'
import styles from './providers.module.css'

/** The facts about the stored key. */
type StoredKey = Pick<Provider, 'has_key' | 'key_hint' | 'needs_key' | 'key_problem'>
type Props = {
  readonly provider: StoredKey
  readonly form: UseFormReturnType<ProviderValues>
  /** True if the dialog opens with the focus in this field. */
  readonly hasFocus?: boolean
}

/**
 * The field for the API key. The service never returns a key, only a hint of at most its last four
 * characters.
 */
export function ApiKeyField({ provider, form, hasFocus = true }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const { key } = form.getValues()
  const previousKey = useRef(key)
  useEffect(() => {
    if (previousKey.current === key) return
    previousKey.current = key
    // The pressed button was removed, so focus moves to the control that replaces it.
    box.current?.querySelector<HTMLElement>('input, button')?.focus()
  }, [key])
  return (
    <div ref={box}>
      <Key provider={provider} form={form} hasFocus={hasFocus} />
    </div>
  )
}

function Key({ provider, form, hasFocus }: Props) {
  const { key } = form.getValues()
  const { has_key: hasKey, key_hint: hint, needs_key: isRequired, key_problem: problem } = provider
  const setKey = (next: ProviderValues['key']): void => {
    form.setFieldValue('key', next)
    form.setFieldValue('api_key', '')
  }
  if (key !== 'replace') {
    return (
      <fieldset className={styles['key']}>
        <legend className={styles['keyLabel']}>{t('providers:form.key')}</legend>
        <p className={styles['note']} role="status">
          {key === 'remove'
            ? t('providers:form.key_removed')
            : hint === null
              ? t('providers:form.key_set_short')
              : tNode('providers:form.key_set', { hint: <span className="mono">{hint}</span> })}
        </p>
        <div className={styles['buttons']}>
          {key === 'keep' ? (
            <>
              <Button variant="default" size="xs" onClick={() => setKey('replace')}>
                {t('providers:form.replace')}
              </Button>
              <Button variant="default" size="xs" c="var(--pd-bad)" onClick={() => setKey('remove')}>
                {t('providers:form.remove')}
              </Button>
            </>
          ) : (
            <Button variant="default" size="xs" onClick={() => setKey('keep')}>
              {t('providers:form.keep')}
            </Button>
          )}
        </div>
      </fieldset>
    )
  }
  return (
    <div className={styles['key']}>
      <PasswordInput
        {...form.getInputProps('api_key')}
        label={t('providers:form.key')}
        description={
          problem === null
            ? t(isRequired ? 'providers:form.key_help_needed' : 'providers:form.key_help')
            : t('providers:form.key_unreadable')
        }
        classNames={{ innerInput: 'mono' }}
        maxLength={4096}
        // Keeps browsers and password managers from storing or filling the key.
        autoComplete="off"
        data-1p-ignore
        data-lpignore="true"
        spellCheck={false}
        {...(hasFocus && { 'data-autofocus': true })}
      />
      {form.getValues().api_key.trim() !== '' && (
        <Switch
          {...form.getInputProps('test_key', { type: 'checkbox' })}
          label={t('providers:form.test_key')}
          description={t('providers:form.test_key_help')}
        />
      )}
      {hasKey && (
        <div className={styles['buttons']}>
          <Button variant="default" size="xs" onClick={() => setKey('keep')}>
            {t('providers:form.keep')}
          </Button>
        </div>
      )}
    </div>
  )
}
