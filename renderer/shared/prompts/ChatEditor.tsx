import type { PromptMessage } from '../../../contract/prompts/prompt-chat.ts'
import { t } from '../../lib/i18n.ts'
import type { FieldErrorOf } from '../models/fieldErrorOf.ts'
import { MessagesEditor } from '../models/MessagesEditor.tsx'
import { TemplateEditor } from '../templates/TemplateEditor.tsx'
import type { IncludeSupport } from '../templates/templateIncludes.ts'

type Props = {
  readonly messages: readonly PromptMessage[]
  readonly onChange: (messages: readonly PromptMessage[]) => void
  readonly suggestions: readonly string[]
  readonly declared: readonly string[]
  readonly isReadOnly: boolean
  readonly includes?: IncludeSupport
  readonly fieldErrorOf: FieldErrorOf
}

/** The editor of a chat prompt: its messages, with variables marked in each text. */
export function ChatEditor(props: Props) {
  const { messages, onChange, suggestions, declared, isReadOnly, fieldErrorOf } = props
  return (
    <MessagesEditor
      messages={messages}
      onChange={onChange}
      isReadOnly={isReadOnly}
      fieldErrorOf={fieldErrorOf}
      hasPlaceholders
      renderText={({ label, value, onChange: setText }) => (
        <TemplateEditor
          value={value}
          onChange={setText}
          label={label}
          suggestions={suggestions}
          declared={declared}
          isReadOnly={isReadOnly}
          isCompact
          {...(props.includes !== undefined && { includes: props.includes })}
          hint={t('model:messages.hint', { variable: '{{name}}' })}
        />
      )}
    />
  )
}
