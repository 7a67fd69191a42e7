import { useMemo } from 'react'
import { render } from '../../../contract/formats/template.ts'
import styles from './preview.module.css'

type Props = {
  readonly content: string
  readonly values: Readonly<Record<string, unknown>>
  readonly variables: Parameters<typeof render>[2]
  readonly label: string
}

type Piece = { readonly at: number; readonly text: string; readonly kind: 'text' | 'filled' | 'missing' }

const placeholder = /(\{\{\s*[\w.]+\s*\}\})/g

/**
 * Text of a template with its values. A placeholder without a value is marked and left unchanged, as for an
 * app.
 */
export function TemplatePreview({ content, values, variables, label }: Props) {
  const pieces = useMemo(
    () =>
      content.split(placeholder).map((text, at): Piece => {
        if (at % 2 === 0) return { at, text, kind: 'text' }
        const filled = render(text, values, variables)
        return { at, text: filled.text, kind: filled.missing.length === 0 ? 'filled' : 'missing' }
      }),
    [content, values, variables],
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className={styles['preview']} aria-label={label} tabIndex={0}>
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
  )
}
