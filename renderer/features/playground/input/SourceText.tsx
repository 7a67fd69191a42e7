import { Group } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { ChatEditor } from '../../../shared/prompts/ChatEditor.tsx'
import { withType } from '../../../shared/prompts/promptType.ts'
import { TypeControl } from '../../../shared/prompts/TypeControl.tsx'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import type { SetupErrors } from '../column/checks.ts'
import styles from '../playground.module.css'
import { chatPatch, type Setup, textPatch } from '../playground.state.ts'
import type { PlaygroundSession } from '../session.ts'

type Props = {
  readonly setup: Setup
  readonly change: PlaygroundSession['change']
  readonly suggestions: readonly string[]
  readonly declared: readonly string[]
  /** True if includes are sent as text, because the text is not that of a prompt. */
  readonly hasLiteralIncludes: boolean
  /** The errors that prevented the last run. */
  readonly errors: SetupErrors | null
}

/** The editor of the text or of the messages of a chat, with its error. */
export function SourceText(props: Props) {
  const { setup, change, suggestions, declared, hasLiteralIncludes, errors } = props
  const { chat, content } = setup
  const error = errors?.content ?? null
  return (
    <>
      <Group justify="flex-end">
        <TypeControl
          value={chat === null ? 'text' : 'chat'}
          onChange={(type) => {
            const before = { type: chat === null ? 'text' : 'chat', content, messages: chat ?? [] } as const
            const after = withType(before, type)
            change(textPatch(after.content, type === 'chat' ? after.messages : null))
          }}
        />
      </Group>
      {chat === null ? (
        <div className={styles['code']} data-bad={error !== null || undefined}>
          <TemplateEditor
            value={content}
            onChange={(next) => change({ content: next })}
            label={t('playground:source.text')}
            suggestions={suggestions}
            declared={declared}
            hint={t('playground:source.hint', { variable: '{{name}}' })}
          />
        </div>
      ) : (
        <ChatEditor
          messages={chat}
          onChange={(next) => change(chatPatch(next))}
          suggestions={suggestions}
          declared={declared}
          isReadOnly={false}
          fieldErrorOf={(path) => errors?.chat[path]}
        />
      )}
      {hasLiteralIncludes && <p className="note">{t('playground:source.includes')}</p>}
      {error !== null && (
        <p className={styles['bad']} role="alert">
          {error}
        </p>
      )}
    </>
  )
}
