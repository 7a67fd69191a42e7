import { Button } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { useDependentInvalidation } from '../../../lib/service/dependentInvalidation.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { siblingsQuery } from '../prompts.queries.ts'
import { EnvironmentCard } from '../versions/EnvironmentCard.tsx'
import styles from '../versions/versions.module.css'
import { PromoteDialog } from './PromoteDialog.tsx'
import { useServeDisabledReason } from './useServeDisabledReason.ts'

type Step = { readonly from: PromptRow; readonly env: Environment }

/** Returns everything that a version contains except its number, as JSON; null if nothing is served. */
const contentOf = (served: PromptRow['served']): string | null =>
  served && JSON.stringify({ ...served, version: undefined })

const servesSame = (a: PromptRow['served'], b: PromptRow['served']): boolean =>
  a !== null && contentOf(a) === contentOf(b)

/** The versions served in dev, test and prod, with a button to promote each to the next environment. */
export function Promotion({ prompt }: { readonly prompt: Prompt }) {
  const query = useQuery(siblingsQuery(prompt))
  useDependentInvalidation('client', siblingsQuery(prompt).queryKey)
  const workspace = useQuery(workspaceChoicesQuery).data?.find(({ id }) => id === prompt.workspace_id)
  const serveDisabledReason = useServeDisabledReason()
  const [step, setStep] = useDialogState<Step>(`promote.${prompt.id}`)
  if (query.data === undefined) {
    return <QueryPending query={query} height={112} />
  }
  const rowOf = (env: Environment) => query.data.find((row) => row.env === env)
  const disabledReason = (env: Environment) =>
    serveDisabledReason({
      env,
      workspace_id: prompt.workspace_id,
      protected: rowOf(env)?.protected ?? workspace?.protected_envs.includes(env) ?? false,
    })
  return (
    <div className={styles['envs']} data-testid="promotion">
      {environments.map((env, index) => {
        const row = rowOf(env)
        const next = environments[index + 1]
        return (
          <Fragment key={env}>
            <EnvironmentCard env={env} row={row} isHere={row?.id === prompt.id} />
            {next !== undefined && (
              <StepButton
                from={row}
                env={next}
                isSame={servesSame(row?.served ?? null, rowOf(next)?.served ?? null)}
                disabledReason={disabledReason(next)}
                onStep={setStep}
              />
            )}
          </Fragment>
        )
      })}
      {step !== null && (
        <PromoteDialog
          from={step.from}
          env={step.env}
          to={rowOf(step.env)}
          disabledReason={disabledReason(step.env)}
          onClose={() => setStep(null)}
        />
      )}
    </div>
  )
}

type StepProps = {
  readonly from: PromptRow | undefined
  readonly env: Environment
  readonly isSame: boolean
  readonly disabledReason: string | null
  readonly onStep: (step: Step) => void
}

function StepButton({ from, env, isSame, disabledReason, onStep }: StepProps) {
  const version = from?.served?.version
  const reason =
    version === undefined
      ? t('prompt:promote.nothing')
      : isSame
        ? t('prompt:promote.same', { env })
        : disabledReason
  return (
    <WhyDisabled reason={reason}>
      <Button
        variant="default"
        size="compact-sm"
        fz="xs"
        className={styles['step'] ?? ''}
        rightSection={<IconArrowRight size={14} />}
        aria-label={t('prompt:promote.to', { env })}
        onClick={() => from !== undefined && onStep({ from, env })}
      >
        {t('prompt:promote.button')}
      </Button>
    </WhyDisabled>
  )
}
