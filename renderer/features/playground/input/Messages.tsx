import { ActionIcon, Button, Group, NativeSelect, Textarea, Tooltip } from '@mantine/core'
import { IconArrowUp, IconX } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import styles from '../playground.module.css'
import { type Message, newId } from '../playground.state.ts'

type Props = { readonly messages: readonly Message[]; readonly onChange: (messages: Message[]) => void }

const roles = ['system', 'user', 'assistant'] as const

/** The messages sent unchanged before the prompt, such as instructions and examples. */
export function Messages({ messages, onChange }: Props) {
  const put = (id: string, patch: Partial<Message>): void =>
    onChange(messages.map((one) => (one.id === id ? { ...one, ...patch } : one)))
  const make = (role: Message['role']): Message => ({ id: newId(), role, content: '' })
  const raise = (index: number): void => {
    const next = [...messages]
    next.splice(index - 1, 0, ...next.splice(index, 1))
    onChange(next)
  }
  return (
    <>
      <p className={styles['note']}>{t('playground:messages.help')}</p>
      {messages.length > 0 && (
        <ol className={styles['messages']} aria-label={t('playground:messages.title')}>
          {messages.map(({ id, role, content }, index) => (
            <li key={id} className={styles['message']}>
              <div className={styles['messageHead']}>
                <NativeSelect
                  size="xs"
                  aria-label={t('playground:messages.role', { number: index + 1 })}
                  value={role}
                  data={roles.map((one) => ({ value: one, label: t(`playground:messages.${one}`) }))}
                  onChange={(event) =>
                    put(id, { role: roles.find((one) => one === event.currentTarget.value) ?? role })
                  }
                />
                <span className={styles['tools']}>
                  <Tooltip label={t('playground:messages.up')}>
                    <ActionIcon
                      size={22}
                      aria-label={t('playground:messages.up_named', { number: index + 1 })}
                      {...(index === 0 && { 'data-disabled': true, 'aria-disabled': true })}
                      onClick={() => index > 0 && raise(index)}
                    >
                      <IconArrowUp size={14} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('playground:messages.remove')}>
                    <ActionIcon
                      size={22}
                      aria-label={t('playground:messages.remove_named', { number: index + 1 })}
                      onClick={() => onChange(messages.filter((one) => one.id !== id))}
                    >
                      <IconX size={14} />
                    </ActionIcon>
                  </Tooltip>
                </span>
              </div>
              <Textarea
                size="xs"
                autosize
                minRows={2}
                maxRows={12}
                aria-label={t('playground:messages.text', { number: index + 1 })}
                value={content}
                onChange={(event) => put(id, { content: event.currentTarget.value })}
              />
            </li>
          ))}
        </ol>
      )}
      <Group gap={4}>
        <Button size="compact-xs" variant="default" onClick={() => onChange([make('system'), ...messages])}>
          {t('playground:messages.add_system')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onChange([...messages, make('user'), make('assistant')])}
        >
          {t('playground:messages.add_example')}
        </Button>
      </Group>
    </>
  )
}
