import { useMemo } from 'react'
import { render } from '../../../contract/template.ts'
import { t } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'
import { sampleValue } from './samples.ts'

type Props = {
  readonly content: string
  readonly variables: readonly Declared[]
  readonly samples: Readonly<Record<string, string>>
}

type Piece = { readonly at: number; readonly text: string; readonly kind: 'text' | 'filled' | 'missing' }

const placeholder = /(\{\{\s*[\w.]+\s*\}\})/g

/** How the text reads with the sample values; what has none is marked and stays as it is, as for an app. */
export function Preview({ content, variables, samples }: Props) {
  const values = useMemo(() => {
    const types = new Map(variables.map(({ name, type }) => [name, type]))
    return Object.fromEntries(
      Object.entries(samples).map(([name, text]) => [name, sampleValue(text, types.get(name))]),
    )
  }, [samples, variables])
  const whole = useMemo(() => render(content, values, variables), [content, values, variables])
  const pieces = useMemo(
    () =>
      content.split(placeholder).map((text, at): Piece => {
        if (at % 2 === 0) return { at, text, kind: 'text' }
        const filled = render(text, values, variables)
        return { at, text: filled.text, kind: filled.missing.length === 0 ? 'filled' : 'missing' }
      }),
    [content, values, variables],
  )
  if (content === '') return <p className={styles['note']}>{t('prompt:preview.empty')}</p>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard */}
      <section className={styles['preview']} aria-label={t('prompt:preview.title')} tabIndex={0}>
        {pieces.map(({ at, text, kind }) =>
          kind === 'text' ? (
            text
          ) : (
            <mark key={at} data-kind={kind}>
              {text}
            </mark>
          ),
        )}
      </section>
      <div className={styles['previewFoot']}>
        <span className={whole.missing.length === 0 ? 'dimmed' : styles['warn']}>
          {whole.missing.length === 0
            ? t('prompt:preview.whole')
            : t('prompt:preview.missing', { count: whole.missing.length, names: whole.missing.join(', ') })}
        </span>
        <CopyButton value={whole.text} label={t('prompt:preview.copy')} />
      </div>
    </>
  )
}
