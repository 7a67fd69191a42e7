import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { clientSnippets, hasClient } from './snippets/clientSnippets.ts'
import type { SnippetFor } from './snippets/promptLines.ts'
import { type SnippetLanguage, snippets } from './snippets/snippets.ts'

type Props = {
  readonly language: SnippetLanguage
  /** True to use the SDK, if the language has one. */
  readonly withClient: boolean
  readonly target: SnippetFor
}

/** The example program in one language, with instructions. */
export function ConnectExample({ language, withClient, target }: Props) {
  const sdkLanguage = withClient && hasClient(language) ? language : null
  const code = (sdkLanguage === null ? snippets[language] : clientSnippets[sdkLanguage])(target)
  const languageValues = { language: t(`connect:language.${language}`) }
  return (
    <>
      <div className={styles['head']}>
        <span className={styles['note']}>
          {sdkLanguage === null
            ? t(`connect:instructions.${language}`)
            : t(`connect:client_instructions.${sdkLanguage}`)}
        </span>
        <CopyButton value={code} label={t('connect:copy', languageValues)} />
      </div>
      <CodeBlock text={code.trimEnd()} label={languageValues.language} />
    </>
  )
}
