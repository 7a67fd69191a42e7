import { Alert, Button, Tooltip } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { useShellSearch } from '../../lib/page/address.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { createPersistedStore, useStore } from '../../lib/state/store.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { providerChoicesQuery } from '../../shared/providers/providers.ts'
import { useFirstWorkspace } from '../../shared/resources/forms/useFirstWorkspace.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { ColumnCard } from './column/ColumnCard.tsx'
import type { SetupErrors } from './column/checks.ts'
import columnStyles from './column/column.module.css'
import { runColumns } from './column/running.ts'
import { useOpenPrompt } from './input/base.ts'
import { focusPicker } from './input/PromptPicker.tsx'
import { resetPlayground } from './opening.ts'
import { PlaygroundDialog } from './PlaygroundDialog.tsx'
import { PlaygroundHeader } from './PlaygroundHeader.tsx'
import styles from './playground.module.css'
import { type Column, maxColumns, newColumn } from './playground.state.ts'
import { Sidebar } from './Sidebar.tsx'
import { type OpenDialog, type PlaygroundSession, stopAll } from './session.ts'

const sideStore = createPersistedStore(
  'playground.side',
  true,
  (value): value is boolean => typeof value === 'boolean',
)

const isInLowerHalf = (element: HTMLElement | null): boolean =>
  element !== null && element.getBoundingClientRect().top > window.innerHeight / 2

/** The Playground: the prompt panel with text and values, and the model columns. */
export function Playground({ session }: { readonly session: PlaygroundSession }) {
  const queries = useQueryClient()
  const setup = useStore(session.setup)
  const [{ workspace: selected }] = useShellSearch()
  const workspace = useFirstWorkspace(selected, 'resources.run')
  const providers = useQuery(providerChoicesQuery)
  const opened = useOpenPrompt(setup.subject)
  const hasSide = useStore(sideStore)
  const [openDialog, setOpenDialog] = useDialogState<OpenDialog>('playground')
  const closeDialog = (): void => setOpenDialog(null)
  const [errors, setErrors] = useState<SetupErrors | null>(null)
  const [failure, setFailure] = useState<unknown>(null)

  const columnsSection = useRef<HTMLElement>(null)

  const run = async (columns: readonly Column[]): Promise<void> => {
    setFailure(null)
    try {
      const setupErrors = await runColumns(session, queries, columns, workspace)
      setErrors(setupErrors)
      // In narrow windows the responses are below the text.
      if (setupErrors === null && isInLowerHalf(columnsSection.current))
        columnsSection.current?.scrollIntoView({ block: 'start' })
    } catch (error) {
      setFailure(error)
    }
  }
  const runAll = (): void => void run(session.setup.get().columns)
  const reset = (): void => {
    setErrors(null)
    void resetPlayground(session, queries)
  }
  const change: PlaygroundSession['change'] = (patch) => {
    setErrors(null)
    session.change(patch)
  }
  const setColumns = (columns: Column[]): void => change({ columns })
  useKeys([
    { keys: 'mod+Enter', label: t('playground:run_all'), run: runAll },
    { keys: 'mod+.', label: t('playground:stop_all'), run: () => stopAll(session) },
    { keys: 'n', label: t('playground:new'), run: reset },
    { keys: '/', label: t('playground:source.choose'), run: focusPicker },
    { keys: 'h', label: t('playground:history.title'), run: () => setOpenDialog('history') },
  ])
  return (
    <>
      {opened.prompt?.env === 'prod' && <div className={styles['prod']} data-testid="prod-line" />}
      <Page isFilled>
        <PlaygroundHeader
          session={session}
          opened={opened}
          hasSide={hasSide}
          onSide={() => sideStore.set(!hasSide)}
          onOpenDialog={setOpenDialog}
          onNew={reset}
          onRunAll={runAll}
        />
        {failure !== null && (
          <Alert color="red" variant="light" withCloseButton onClose={() => setFailure(null)} p={0}>
            <ErrorState error={failure} onRetry={runAll} />
          </Alert>
        )}
        <div className={styles['body']} data-wide={!hasSide || undefined}>
          {hasSide && (
            <Sidebar
              setup={setup}
              change={change}
              session={session}
              opened={opened}
              errors={errors}
              onOpenDialog={setOpenDialog}
            />
          )}
          <section
            ref={columnsSection}
            className={columnStyles['columns']}
            aria-label={t('playground:columns')}
            data-count={setup.columns.length}
          >
            {setup.columns.map((column, index) => (
              <ColumnCard
                key={column.id}
                session={session}
                column={column}
                number={index + 1}
                subject={setup.subject}
                providers={providers}
                onChange={(patch) =>
                  setColumns(
                    setup.columns.map((other) => (other.id === column.id ? { ...other, ...patch } : other)),
                  )
                }
                onRun={() =>
                  void run([session.setup.get().columns.find(({ id }) => id === column.id) ?? column])
                }
                onRemove={
                  setup.columns.length === 1
                    ? null
                    : () => {
                        session.abortControllers.get(column.id)?.abort()
                        setColumns(setup.columns.filter(({ id }) => id !== column.id))
                      }
                }
              />
            ))}
            {setup.columns.length < maxColumns && (
              <Tooltip label={t('playground:column.add')}>
                <Button
                  className={columnStyles['add'] ?? ''}
                  variant="default"
                  aria-label={t('playground:column.add')}
                  onClick={() => setColumns([...setup.columns, newColumn(setup.columns.at(-1))])}
                >
                  <IconPlus size={16} />
                </Button>
              </Tooltip>
            )}
          </section>
        </div>
      </Page>
      <PlaygroundDialog name={openDialog} session={session} opened={opened} onClose={closeDialog} />
    </>
  )
}
