import { ActionIcon, Button, Group, NativeSelect, Tooltip } from '@mantine/core'
import { IconArrowUp, IconX } from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import styles from '../playground.module.css'
import { type Message, newId } from '../playground.state.ts'

type Props = { readonly messages: readonly Message[]; readonly onChange: (messages: Message[]) => void }

const roles = ['system', 'user', 'assistant'] as const
/** The role of a tool message cannot be changed, because the message replies to a tool call. */
const rolesFor = (role: Message['role']) => (role === 'tool' ? (['tool'] as const) : roles)

/** The messages sent unchanged before the prompt, such as instructions and examples. */
export function Messages({ messages, onChange }: Props) {
  const update = (id: string, patch: Partial<Message>): void =>
    onChange(messages.map((message) => (message.id === id ? { ...message, ...patch } : message)))
  const newMessage = (role: Message['role']): Message => ({ id: newId(), role, content: '' })
  const moveUp = (index: number): void => {
    const next = [...messages]
    next.splice(index - 1, 0, ...next.splice(index, 1))
    onChange(next)
  }
  return (
    <>
      <p className="note">{t('playground:messages.help')}</p>
      {messages.length > 0 && (
        <ol className={styles['messages']} aria-label={t('playground:messages.title')}>
          {messages.map(({ id, role, content }, index) => (
            <li key={id} className={styles['message']}>
              <div className={styles['messageHead']}>
                <NativeSelect
                  size="xs"
                  aria-label={t('playground:messages.role', { number: index + 1 })}
                  value={role}
                  data={rolesFor(role).map((name) => ({
                    value: name,
                    label: t(`playground:messages.${name}`),
                  }))}
                  onChange={(event) =>
                    update(id, { role: roles.find((name) => name === event.currentTarget.value) ?? role })
                  }
                />
                <span className={styles['tools']}>
                  <Tooltip label={t('playground:messages.up')}>
                    <ActionIcon
                      size={22}
                      aria-label={t('playground:messages.up_named', { number: index + 1 })}
                      {...(index === 0 && { 'data-disabled': true, 'aria-disabled': true })}
                      onClick={() => index > 0 && moveUp(index)}
                    >
                      <IconArrowUp size={14} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={t('playground:messages.remove')}>
                    <ActionIcon
                      size={22}
                      aria-label={t('playground:messages.remove_named', { number: index + 1 })}
                      onClick={() => onChange(messages.filter((message) => message.id !== id))}
                    >
                      <IconX size={14} />
                    </ActionIcon>
                  </Tooltip>
                </span>
              </div>
              <Textarea
                size="xs"
                minRows={2}
                aria-label={t('playground:messages.text', { number: index + 1 })}
                value={content}
                onChange={(event) => update(id, { content: event.currentTarget.value })}
              />
            </li>
          ))}
        </ol>
      )}
      <Group gap={4}>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onChange([newMessage('system'), ...messages])}
        >
          {t('playground:messages.add_system')}
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => onChange([...messages, newMessage('user'), newMessage('assistant')])}
        >
          {t('playground:messages.add_example')}
        </Button>
      </Group>
    </>
  )
}
