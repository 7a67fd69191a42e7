import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import { Dialog } from '../dialog/Dialog.tsx'
import { BulkList } from './BulkList.tsx'
import { type BulkItem, useBulk } from './useBulk.ts'

type Props = {
  /** Names the action and the number of rows: "Disable 3 users?" */
  readonly title: string
  /** Names the consequence. */
  readonly body: ReactNode
  /** Fields of the action, below the body. Disable them once the action has started. */
  readonly fields?: (isStarted: boolean) => ReactNode
  /** False while the fields lack a value. */
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
  /** `isChanged` is true if at least one item succeeded. */
  readonly onClose: (isChanged: boolean) => void
}

/** True once every item succeeded. */
const isDone = ({ isStarted, isRunning, remaining }: ReturnType<typeof useBulk>): boolean =>
  isStarted && !isRunning && remaining === 0

/** True while a field lacks its value or the required text is not typed. */
const isIncomplete = ({ isReady = true, requiredText }: Props, typed: string): boolean =>
  !isReady || (requiredText !== undefined && typed.trim() !== requiredText)

/**
 * Dialog that asks for confirmation, then runs one action on several rows in sequence, and shows the result
 * of each. It stays open while a row has not succeeded.
 */
export function BulkDialog(props: Props) {
  /** The items when the action started; before, they follow the fields. */
  const [startedItems, setStartedItems] = useState<readonly BulkItem[] | null>(null)
  const items = startedItems ?? props.items
  const [typed, setTyped] = useState('')
  const bulk = useBulk(items, props.run)
  const isMissing = bulk.total === 0 || isIncomplete(props, typed)
  const isFinished = isDone(bulk)
  const close = (): void => {
    if (bulk.isRunning) bulk.stop()
    else props.onClose(bulk.done > 0)
  }
  const { mutate: start } = useFormMutation({
    mutationFn: async () => {
      setStartedItems(items)
      const { done, remaining } = await bulk.start()
      await props.onSettled()
      showOwnChange()
      if (remaining > 0) return
      props.onAllDone(done)
      props.onClose(true)
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (bulk.isStarted || !isMissing) start()
  }
  return (
    <Dialog onClose={close} title={props.title} size={480}>
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Text component="div" size="sm">
            {props.body}
          </Text>
          {props.fields?.(bulk.isStarted)}
          <BulkList items={items} results={bulk.results} />
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
            <Button variant="default" onClick={close}>
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
