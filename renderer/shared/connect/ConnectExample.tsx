import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { clientSnippets, hasClient } from './connectClients.ts'
import { type SnippetFor, type SnippetLanguage, snippets } from './connectSnippets.ts'

type Props = {
  readonly language: SnippetLanguage
  /** True to use the SDK, if the language has one. */
  readonly withClient: boolean
  readonly target: SnippetFor
}

/** The example program in one language, with instructions. */
export function ConnectExample({ language, withClient, target }: Props) {
  const packaged = withClient && hasClient(language) ? language : null
  const code = (packaged === null ? snippets[language] : clientSnippets[packaged])(target)
  const named = { language: t(`connect:language.${language}`) }
  return (
    <>
      <div className={styles['head']}>
        <span className={styles['note']}>
          {packaged === null
            ? t(`connect:instructions.${language}`)
            : t(`connect:client_instructions.${packaged}`)}
        </span>
        <CopyButton value={code} label={t('connect:copy', named)} />
      </div>
      <CodeBlock text={code.trimEnd()} label={named.language} />
    </>
  )
}
