import { useMemo } from 'react'
import { render } from '../../../../contract/formats/template.ts'
import { t } from '../../../lib/i18n.ts'
import { TemplatePreview } from '../../../shared/templates/TemplatePreview.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'
import { sampleValue } from './samples.ts'

type Props = {
  readonly content: string
  readonly variables: readonly Declared[]
  readonly samples: Readonly<Record<string, string>>
}

/**
 * The text with the sample values filled in. Variables without a value are highlighted and stay, as in an
 * app.
 */
export function Preview({ content, variables, samples }: Props) {
  const values = useMemo(() => {
    const types = new Map(variables.map(({ name, type }) => [name, type]))
    return Object.fromEntries(
      Object.entries(samples).map(([name, text]) => [name, sampleValue(text, types.get(name))]),
    )
  }, [samples, variables])
  const rendered = useMemo(() => render(content, values, variables), [content, values, variables])
  if (content === '') return <p className={styles['note']}>{t('prompt:preview.empty')}</p>
  return (
    <>
      <TemplatePreview
        content={content}
        values={values}
        variables={variables}
        label={t('prompt:preview.title')}
      />
      <div className={styles['previewFoot']}>
        <span className={rendered.missing.length === 0 ? 'dimmed' : styles['warn']}>
          {rendered.missing.length === 0
            ? t('prompt:preview.complete')
            : t('prompt:preview.missing', {
                count: rendered.missing.length,
                names: rendered.missing.join(', '),
              })}
        </span>
        <CopyButton value={rendered.text} label={t('prompt:preview.copy')} />
      </div>
    </>
  )
}
