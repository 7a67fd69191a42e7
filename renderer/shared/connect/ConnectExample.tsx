import { t, tNode } from '../../lib/i18n.ts'
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

/** Code in the instructions, which must not break at its hyphens. */
const codeParts = {
  flag: <code className="mono whole">--experimental-websocket</code>,
  path: <code className="mono whole">"target/promptdeck-client-0.1.0.jar:target/lib/*"</code>,
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
          {tNode(
            sdkLanguage === null
              ? `connect:instructions.${language}`
              : `connect:client_instructions.${sdkLanguage}`,
            codeParts,
          )}
        </span>
        <CopyButton value={code} label={t('connect:copy', languageValues)} />
      </div>
      <CodeBlock text={code.trimEnd()} label={languageValues.language} />
    </>
  )
}
