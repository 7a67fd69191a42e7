import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import { Dialog } from '../dialog/Dialog.tsx'
import { useDialogGuard } from '../dialog/useLeaveGuard.ts'
import { BulkList } from './BulkList.tsx'
import { type BulkItem, useBulk } from './useBulk.ts'

type Props = {
  /** Names the action and the number of rows: "Disable 3 users?" */
  readonly title: string
  /** Names the consequence. */
  readonly body: ReactNode
  /** Fields of the action, below the body. Disable them once the action has started. */
  readonly fields?: (isStarted: boolean) => ReactNode
  /** False while the fields lack a value; true once they have one, which closing asks to discard. */
  readonly isReady?: boolean
  readonly action: string
  readonly isDangerous?: boolean
  /** Text the user must type first. Only for what cannot be undone. */
  readonly requiredText?: string
  /** Processed in this order. */
  readonly items: readonly BulkItem[]
  readonly run: (id: string) => Promise<unknown>
  /** Runs after each attempt, whether or not every item succeeded. */
  readonly onSettled: () => Promise<unknown>
  /** Runs if every item succeeded. Shows the confirmation. */
  readonly onAllDone: (count: number) => void
  /** Receives the ids of the items that have not succeeded; null if none has. */
  readonly onClose: (left: ReadonlySet<string> | null) => void
}

/** True once every item succeeded. */
const isDone = ({ isEnded, left }: ReturnType<typeof useBulk>): boolean => isEnded && left.size === 0

/** True while a field lacks its value or the required text is not typed. */
const isIncomplete = ({ isReady = true, requiredText }: Props, typed: string): boolean =>
  !isReady || (requiredText !== undefined && typed.trim() !== requiredText)

/** Returns props of the dialog: closing it stops a running action, and asks before it discards the fields. */
function useBulkGuard(bulk: ReturnType<typeof useBulk>, { isReady, onClose }: Props) {
  const isDirty = () => !bulk.isStarted && isReady === true
  const guard = useDialogGuard(isDirty, bulk.isRunning, () => {
    if (bulk.done === 0) return onClose(null)
    showOwnChange()
    onClose(bulk.left)
  })
  return bulk.isRunning ? { ...guard, onClose: bulk.stop } : guard
}

/**
 * Dialog that asks for confirmation, then runs one action on several rows in sequence, and shows the result
 * of each. It stays open while a row has not succeeded.
 */
export function BulkDialog(props: Props) {
  /** Title and items when the action started; before, they follow the fields. */
  const [started, setStarted] = useState<Pick<Props, 'title' | 'items'> | null>(null)
  const { title, items } = started ?? props
  const [typed, setTyped] = useState('')
  const bulk = useBulk(items, props.run)
  const isMissing = bulk.total === 0 || isIncomplete(props, typed)
  const isFinished = isDone(bulk)
  const guard = useBulkGuard(bulk, props)
  const { mutate: start } = useFormMutation({
    mutationFn: async () => {
      setStarted({ title, items })
      const { done, remaining } = await bulk.start()
      await props.onSettled()
      // While results are displayed, the list keeps its rows, because the dialog belongs to selected ones.
      if (remaining > 0) return
      showOwnChange()
      props.onAllDone(done)
      props.onClose(new Set())
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (bulk.isStarted || !isMissing) start()
  }
  return (
    <Dialog {...guard} title={title} size={480}>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Text component="div" size="sm">
            {props.body}
          </Text>
          {props.fields?.(bulk.isStarted)}
          <BulkList items={items} results={bulk.results} isEnded={bulk.isEnded} />
          {bulk.isStarted ? (
            <Text size="sm" fw={500} role="status">
              {t(bulk.isRunning ? 'common:bulk.running' : 'common:bulk.ended', {
                done: bulk.done,
                failed: bulk.failed,
                total: bulk.total,
              })}
            </Text>
          ) : (
            props.requiredText !== undefined && (
              <TextInput
                data-autofocus
                label={tNode('common:confirm.type', { name: <b>{props.requiredText}</b> })}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                autoComplete="off"
              />
            )
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => guard.onClose()}>
              {t(bulk.isRunning ? 'common:bulk.stop' : bulk.isStarted ? 'common:close' : 'common:cancel')}
            </Button>
            {!isFinished && (
              <Button
                type="submit"
                color={props.isDangerous === true ? 'red.9' : 'indigo'}
                loading={bulk.isRunning}
                data-autofocus={props.requiredText === undefined || undefined}
                {...(isMissing && !bulk.isStarted ? { 'data-disabled': true, 'aria-disabled': true } : {})}
              >
                {bulk.isStarted ? t('common:bulk.retry') : props.action}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
