import { useMemo } from 'react'
import type { Variable } from '../../../contract/prompt.ts'
import { render } from '../../../contract/template.ts'
import { t } from '../../lib/i18n.ts'
import { plainVariable, type Typed, valuesOf } from '../../ui/model/VariablesForm.tsx'
import styles from './agents.module.css'

type Props = { readonly content: string; readonly variables: readonly Variable[]; readonly typed: Typed }

const placeholder = /(\{\{\s*[\w.]+\s*\}\})/g

/** How the text reads with the values of the form; what has none is marked. */
export function Preview({ content, variables, typed }: Props) {
  const pieces = useMemo(() => {
    const declared = new Set(variables.map(({ name }) => name))
    const others = Object.keys(typed).filter((name) => !declared.has(name))
    const values = valuesOf([...variables, ...others.map(plainVariable)], typed)
    return content.split(placeholder).map((text, at) => {
      if (at % 2 === 0) return { at, text, kind: 'text' }
      const filled = render(text, values, variables)
      return { at, text: filled.text, kind: filled.missing.length === 0 ? 'filled' : 'missing' }
    })
  }, [content, variables, typed])
  if (content === '') return <p className={styles['note']}>{t('agents:preview.empty')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard
    <section className={styles['preview']} aria-label={t('agents:preview.title')} tabIndex={0}>
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
