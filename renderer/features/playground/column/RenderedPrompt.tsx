import { useMemo } from 'react'
import { render } from '../../../../contract/formats/template.ts'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import styles from '../playground.module.css'
import { type RunText, valuesFor } from './request.ts'

type Props = { readonly text: RunText; readonly values: Readonly<Record<string, string>> }

/** The text with the values filled in, as it will be sent. */
export function RenderedPrompt({ text, values }: Props) {
  const rendered = useMemo(
    () => render(text.content, valuesFor(text, values).variables, text.declared),
    [text, values],
  )
  if (text.content === '') return <p className={styles['note']}>{t('playground:preview.empty')}</p>
  return (
    <>
      <CodeBlock text={rendered.text} label={t('playground:preview.title')} />
      {rendered.missing.length > 0 && (
        <p className={styles['note']}>
          {t('playground:preview.missing', {
            count: rendered.missing.length,
            names: rendered.missing.join(', '),
          })}
        </p>
      )}
    </>
  )
}
