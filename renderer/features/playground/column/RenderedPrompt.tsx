import { useMemo } from 'react'
import { render } from '../../../../contract/formats/template.ts'
import { chatText, renderChat } from '../../../../contract/models/chat.ts'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { type RunText, valuesFor } from './request.ts'

type Props = { readonly text: RunText; readonly values: Readonly<Record<string, string>> }

function renderedText(text: RunText, values: Props['values']) {
  const { variables, placeholders } = valuesFor(text, values)
  if (text.messages === null) return render(text.content, variables, text.declared)
  const chat = renderChat(text.messages, variables, text.declared, placeholders)
  return { text: chatText(chat.messages), missing: chat.missing }
}

/** The text with the values filled in, as it will be sent. */
export function RenderedPrompt({ text, values }: Props) {
  const rendered = useMemo(() => renderedText(text, values), [text, values])
  if (text.content === '') return <p className="note">{t('playground:preview.empty')}</p>
  return (
    <>
      <CodeBlock text={rendered.text} label={t('playground:preview.title')} />
      {rendered.missing.length > 0 && (
        <p className="note">
          {t('playground:preview.missing', {
            count: rendered.missing.length,
            names: rendered.missing.join(', '),
          })}
        </p>
      )}
    </>
  )
}
