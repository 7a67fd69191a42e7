import { ActionIcon, Button, FileButton, Group, Stack, TextInput, Tooltip } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { saveFile } from '../../../lib/service/download.ts'
import { useStore } from '../../../lib/state/store.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { useDialogGuard } from '../../../ui/dialog/useLeaveGuard.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import styles from '../panels.module.css'
import type { PlaygroundSession } from '../session.ts'
import { type Case, caseLines, cases, parseCases, readCases, removeCase, saveCases } from './cases.ts'

type Props = {
  readonly session: PlaygroundSession
  /** True if the dialog was opened to save the current values. */
  readonly isSaving: boolean
  readonly onClose: () => void
}

/** A dialog with the saved test cases of the open text: use, save, import and export. */
export function CasesDialog({ session, isSaving, onClose }: Props) {
  const { owner } = session
  const setup = useStore(session.setup)
  const prompt = setup.subject?.id
  const list = useStore(cases)
  const resetFile = useRef<() => void>(null)
  const [importError, setImportError] = useState<string | null>(null)
  useEffect(() => void readCases(owner, prompt), [owner, prompt])

  const [typed, setTyped] = useState(nothingTyped)
  const guarded = useDialogGuard(() => typed.name !== '' || typed.expected !== '', false, onClose)

  const applyCase = (testCase: Case): void =>
    guarded.onClose(() => {
      session.change({ values: { ...setup.values, ...testCase.variables } })
      toast(t('playground:cases.used', { name: testCase.name }))
    })
  const importFile = async (file: File | null): Promise<void> => {
    if (file === null) return
    // Otherwise the browser reports no change if the same file is chosen again.
    resetFile.current?.()
    const { cases: imported, error } = parseCases(await file.text())
    setImportError(error === null ? null : t('playground:cases.bad_line', error))
    if (error !== null) return
    await saveCases(owner, prompt, imported)
    toast(t('playground:cases.imported', { count: imported.length }))
  }
  const exportFile = (): void =>
    saveFile(
      `${(setup.subject?.key ?? 'playground').replaceAll('/', '-')}-cases.jsonl`,
      [caseLines(list)],
      'application/jsonl',
    )
  return (
    <Dialog
      {...guarded}
      size={620}
      title={
        setup.subject === null
          ? t('playground:cases.title')
          : t('playground:cases.title_of', { key: setup.subject.key })
      }
    >
      <Stack gap="lg">
        <p className="note">{t('playground:cases.help')}</p>
        <SaveForm
          values={setup.values}
          hasFocus={isSaving}
          typed={typed}
          onType={setTyped}
          onSave={async (name, expected) => {
            await saveCases(owner, prompt, [{ name, expected, variables: setup.values }])
            setTyped(nothingTyped)
            toast(t('playground:cases.saved', { name }))
          }}
        />
        {list.length === 0 ? (
          <EmptyState title={t('playground:cases.empty')} text={t('playground:cases.empty_text')} />
        ) : (
          <ul className={styles['cases']} aria-label={t('playground:cases.title')}>
            {list.map((testCase) => (
              <li key={testCase.id} className={styles['case']}>
                <div className={styles['caseText']}>
                  <b>
                    <bdi>{testCase.name}</bdi>
                  </b>
                  <bdi className={`mono dimmed ${styles['caseValues']}`}>
                    {Object.entries(testCase.variables)
                      .map(([name, value]) => `${name}=${value}`)
                      .join(' · ') || t('playground:cases.no_values')}
                  </bdi>
                  {testCase.expected !== '' && (
                    <bdi className={styles['caseExpected']}>
                      {t('playground:cases.expects', { text: testCase.expected })}
                    </bdi>
                  )}
                </div>
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={t('playground:cases.use_named', { name: testCase.name })}
                  onClick={() => applyCase(testCase)}
                >
                  {t('playground:cases.use')}
                </Button>
                <Tooltip label={t('playground:cases.remove')}>
                  <ActionIcon
                    size={24}
                    aria-label={t('playground:cases.remove_named', { name: testCase.name })}
                    onClick={() => void removeCase(owner, prompt, testCase.id)}
                  >
                    <IconTrash size={14} />
                  </ActionIcon>
                </Tooltip>
              </li>
            ))}
          </ul>
        )}
        {importError !== null && (
          <p className={styles['bad']} role="alert">
            {importError}
          </p>
        )}
        <Group gap="sm">
          <FileButton
            accept=".jsonl,.ndjson,.json,application/jsonl"
            resetRef={resetFile}
            onChange={(file) => void importFile(file)}
          >
            {(props) => (
              <Button variant="default" {...props}>
                {t('playground:cases.import')}
              </Button>
            )}
          </FileButton>
          {list.length > 0 && (
            <Button variant="default" onClick={exportFile}>
              {t('playground:cases.export', { count: list.length, number: formatNumber(list.length) })}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

type Typed = { readonly name: string; readonly expected: string }
const nothingTyped: Typed = { name: '', expected: '' }

type FormProps = {
  readonly values: Readonly<Record<string, string>>
  readonly hasFocus: boolean
  readonly typed: Typed
  readonly onType: (typed: Typed) => void
  readonly onSave: (name: string, expected: string) => Promise<void>
}

function SaveForm({ values, hasFocus, typed, onType, onSave }: FormProps) {
  const { name, expected } = typed
  const [isSubmitted, setSubmitted] = useState(false)
  const save = (event: FormEvent): void => {
    event.preventDefault()
    setSubmitted(true)
    if (name.trim() === '') return
    void onSave(name.trim(), expected.trim()).then(() => setSubmitted(false))
  }
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <TextInput
          size="xs"
          label={t('playground:cases.name')}
          description={t('playground:cases.name_help', { count: Object.keys(values).length })}
          value={name}
          maxLength={200}
          error={isSubmitted && name.trim() === '' ? t('playground:cases.name_missing') : null}
          onChange={(event) => onType({ ...typed, name: event.currentTarget.value })}
          {...(hasFocus && { 'data-autofocus': true })}
        />
        <Textarea
          size="xs"
          label={t('playground:cases.expected')}
          description={t('playground:cases.expected_help')}
          maxRows={6}
          value={expected}
          onChange={(event) => onType({ ...typed, expected: event.currentTarget.value })}
        />
        <Group justify="flex-end">
          <Button type="submit">{t('playground:cases.save')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
