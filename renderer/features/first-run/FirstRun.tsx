import './first-run.texts.ts'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { CaptureMode } from '../../../contract/models/models.ts'
import type { Run } from '../../../contract/runs/run.ts'
import { t } from '../../lib/i18n.ts'
import { sampleDataQuery } from '../../lib/service/sampleData.ts'
import { useRealMe } from '../../lib/session/me.ts'
import { LazyConnectDialog } from '../../shared/connect/LazyConnect.tsx'
import { SampleDataButton } from '../../shared/sample-data/SampleDataButton.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { CaptureChoice, useCaptureChoice } from './CaptureChoice.tsx'
import { FirstRunStep } from './FirstRunStep.tsx'
import styles from './first-run.module.css'
import { firstAppQuery, ownRunQuery, promptCountQuery } from './firstApp.ts'

type Defaults = { readonly password: boolean; readonly token: boolean }

type Props = {
  readonly workspace: string | undefined
  readonly onDismiss: () => void
  /** Called with false if all steps are complete, so that the panel does not open the next time. */
  readonly onOpen: (isOpen: boolean) => void
  /** Displayed until the progress is known. */
  readonly skeleton: ReactNode
}

/** Reports whether the panel will be open the next time. */
function Expectation({ isOpen, onOpen }: { readonly isOpen: boolean } & Pick<Props, 'onOpen'>) {
  useEffect(() => onOpen(isOpen), [isOpen, onOpen])
  return null
}

/**
 * A panel with the steps from a new installation to its first run. Steps complete by themselves, driven by
 * live updates. The panel is not displayed if all steps were complete before it first appeared.
 */
export function FirstRun({ workspace, onDismiss, onOpen, skeleton }: Props) {
  const { defaults } = useRealMe()
  const app = useFirstApp()
  const sample = useQuery(sampleDataQuery)
  const run = useQuery({ ...ownRunQuery(sample.data?.workspace_id ?? null), enabled: !sample.isPending })
  const prompts = useQuery(promptCountQuery)
  const capture = useCaptureChoice()
  const [wasOpen, setWasOpen] = useState(false)
  const [isConnecting, setConnecting] = useState(false)
  if (
    app.isUnknown ||
    run.data === undefined ||
    prompts.data === undefined ||
    capture.isChosen === undefined
  ) {
    return [app, run, prompts].every(({ error }) => error === null) ? skeleton : null
  }

  const done = progressOf(defaults, {
    promptCount: prompts.data,
    app: app.seen,
    isCaptureChosen: capture.isChosen,
    run: run.data,
  })
  const steps = Object.values(done)
  const count = steps.filter(Boolean).length
  const isComplete = count === steps.length
  if (!isComplete && !wasOpen) setWasOpen(true)
  const expectation = <Expectation isOpen={!isComplete} onOpen={onOpen} />
  if (isComplete && !wasOpen) return expectation

  return (
    <section className={styles['panel']} aria-labelledby="first-run-title" data-testid="first-run">
      {expectation}
      <header className={styles['head']}>
        {/* Not a heading, because the panel is above the heading of the page. */}
        <b id="first-run-title" className={styles['title']}>
          {t('first_run:title')}
        </b>
        <span className={styles['note']} role="status">
          {isComplete ? t('first_run:all_done') : t('first_run:progress', { done: count, all: steps.length })}
        </span>
        <Button variant="subtle" size="compact-xs" onClick={onDismiss}>
          {isComplete ? t('common:close') : t('first_run:dismiss')}
        </Button>
      </header>
      <ol className={styles['steps']}>
        <FirstRunStep number={1} name="defaults" isDone={done.defaults} note={defaultsNote(done.defaults)}>
          <ReplaceDefaults {...defaults} />
        </FirstRunStep>
        <FirstRunStep
          number={2}
          name="prompt"
          isDone={done.prompt}
          note={done.prompt ? t('first_run:prompt.found') : undefined}
        >
          <PromptLinks isDone={done.prompt} />
        </FirstRunStep>
        <FirstRunStep number={3} name="connect" isDone={done.connect} note={connectNote(app.seen, done.run)}>
          {!done.connect && (
            <Button variant="default" size="compact-xs" onClick={() => setConnecting(true)}>
              {t('first_run:connect.action')}
            </Button>
          )}
        </FirstRunStep>
        <FirstRunStep
          number={4}
          name="capture"
          isDone={done.capture}
          note={captureNote(done.capture, capture.mode)}
        >
          {!done.capture && <CaptureChoice keepOff={capture.keepOff} />}
        </FirstRunStep>
        <FirstRunStep number={5} name="run" isDone={done.run}>
          <RunLink run={run.data} />
        </FirstRunStep>
      </ol>
      {isConnecting && <LazyConnectDialog workspace={workspace} onClose={() => setConnecting(false)} />}
    </section>
  )
}

/** Returns the first app that was connected; one that has disconnected since counts. */
function useFirstApp() {
  const { data, error } = useQuery(firstAppQuery)
  const [seen, setSeen] = useState<string | null>(null)
  if (typeof data === 'string' && data !== seen) setSeen(data)
  return { seen, isUnknown: data === undefined, error }
}

/** Returns which steps are complete. A reported run counts as a connection too, for example with curl. */
const progressOf = (
  defaults: Defaults,
  {
    promptCount,
    app,
    isCaptureChosen,
    run,
  }: {
    readonly promptCount: number
    readonly app: string | null
    readonly isCaptureChosen: boolean
    readonly run: Run | null
  },
) => ({
  defaults: !defaults.password && !defaults.token,
  prompt: promptCount > 0,
  connect: app !== null || run !== null,
  capture: isCaptureChosen,
  run: run !== null,
})

const defaultsNote = (isDone: boolean): string | undefined =>
  isDone ? t('first_run:defaults.changed') : undefined

/** A link to create the first prompt or to show it, and the sample data. */
function PromptLinks({ isDone }: { readonly isDone: boolean }) {
  return (
    <>
      <LinkButton variant="default" size="compact-xs" to="/prompts" search={{ workspace: undefined }}>
        {t(isDone ? 'first_run:prompt.show' : 'first_run:prompt.action')}
      </LinkButton>
      <SampleDataButton />
    </>
  )
}

/** A link to the first run, or to the list where it will appear. */
function RunLink({ run }: { readonly run: Run | null }) {
  return (
    <LinkButton
      variant="default"
      size="compact-xs"
      to="/runs/{-$id}"
      params={{ id: run === null ? undefined : String(run.id) }}
      search={{ workspace: undefined }}
    >
      {t(run === null ? 'first_run:run.wait' : 'first_run:run.action')}
    </LinkButton>
  )
}

/** Links to replace the password and the token of a new installation. */
function ReplaceDefaults({ password, token }: Defaults) {
  return (
    <>
      {password && (
        <LinkButton variant="default" size="compact-xs" to="/profile">
          {t('first_run:defaults.password')}
        </LinkButton>
      )}
      {token && (
        <LinkButton variant="default" size="compact-xs" to="/settings" hash="token">
          {t('first_run:defaults.token')}
        </LinkButton>
      )}
    </>
  )
}

const captureNote = (isChosen: boolean, mode: CaptureMode | undefined): string | undefined =>
  isChosen && mode !== undefined ? t(`first_run:capture.${mode}_chosen`) : undefined

function connectNote(app: string | null, hasRun: boolean): string | undefined {
  if (app !== null) return t('first_run:connect.found', { app })
  return hasRun ? t('first_run:connect.reported') : undefined
}
