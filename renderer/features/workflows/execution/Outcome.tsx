import type { WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { Failure } from '../../../shared/definitions/page/Failure.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from './execution.module.css'

type Props = { readonly run: WorkflowRun; readonly output: string | null }

/** The result of an execution: its output, or the failed step and the error. */
export function Outcome({ run, output }: Props) {
  return (
    <>
      {run.error !== null && (
        <Failure>
          <b>
            {run.failed_step === null
              ? t('workflows:execution.failed')
              : tNode('workflows:execution.failed_at', {
                  step: <span className="mono">{run.failed_step}</span>,
                })}
          </b>
          <span>{run.error}</span>
        </Failure>
      )}
      {output !== null && (
        <div>
          <div className={styles['outputHead']}>
            <h2 className={styles['subtitle']}>{t('workflows:execution.output')}</h2>
            <CopyButton value={output} />
          </div>
          <CodeBlock text={output} label={t('workflows:execution.output')} />
        </div>
      )}
      {output === null && run.status === 'ok' && (
        <p className={styles['note']}>{t('workflows:execution.not_captured')}</p>
      )}
    </>
  )
}
