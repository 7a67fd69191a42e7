import { useMemo } from 'react'
import type { Variable } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { plainVariable, type TypedValues, valuesOf } from '../../../shared/models/VariablesForm.tsx'
import { TemplatePreview } from '../../../shared/templates/TemplatePreview.tsx'
import styles from './edit.module.css'

type Props = {
  readonly content: string
  readonly variables: readonly Variable[]
  readonly typed: TypedValues
}

/** The text with the form's values filled in; variables without a value are highlighted. */
export function Preview({ content, variables, typed }: Props) {
  const values = useMemo(() => {
    const declared = new Set(variables.map(({ name }) => name))
    const others = Object.keys(typed).filter((name) => !declared.has(name))
    return valuesOf([...variables, ...others.map(plainVariable)], typed)
  }, [variables, typed])
  if (content === '') return <p className={styles['note']}>{t('agents:preview.empty')}</p>
  return (
    <TemplatePreview
      content={content}
      values={values}
      variables={variables}
      label={t('agents:preview.title')}
    />
  )
}
