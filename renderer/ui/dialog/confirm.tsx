import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import { createStore, useStore } from '../../lib/state/store.ts'
import { Dialog } from './Dialog.tsx'

export type ConfirmRequest = {
  /** Names the object: "Delete Team Blue?" */
  readonly title: string
  /** Names the consequence. */
  readonly body: ReactNode
  /** The verb on the button. */
  readonly action: string
  readonly isDangerous?: boolean
  /** Text the user must type first. Only for what cannot be undone. */
  readonly requiredText?: string
  /** Runs while the dialog waits. The dialog shows an error and stays open. */
  readonly run?: () => Promise<unknown>
}

type OpenRequest = ConfirmRequest & { readonly id: number; readonly answer: (isConfirmed: boolean) => void }

const openRequest = createStore<OpenRequest | null>(null)
let lastId = 0

/** Asks the user for confirmation. Resolves to true if it was given and `run`, if any, succeeded. */
export function confirm(request: ConfirmRequest): Promise<boolean> {
  openRequest.get()?.answer(false)
  return new Promise((resolve) => {
    lastId += 1
    const answer = (isConfirmed: boolean): void => {
      openRequest.set(null)
      resolve(isConfirmed)
    }
    openRequest.set({ ...request, id: lastId, answer })
  })
}

/** True while a confirmation is open. The dialog below then ignores Escape. */
export const useIsConfirmOpen = (): boolean => useStore(openRequest) !== null

/** Mantine's dialogs have a z-index of 200, its popovers 300. */
const aboveOtherDialogs = 310

/** Shows the dialog that `confirm` requests. Rendered once, in the providers. */
export function ConfirmHost() {
  const request = useStore(openRequest)
  if (request === null) return null
  return (
    <Dialog
      key={request.id}
      onClose={() => request.answer(false)}
      title={request.title}
      size={440}
      zIndex={aboveOtherDialogs}
    >
      <ConfirmBody request={request} />
    </Dialog>
  )
}

function ConfirmBody({ request }: { readonly request: OpenRequest }) {
  const [typed, setTyped] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const isMissing = request.requiredText !== undefined && typed.trim() !== request.requiredText
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (isMissing || isRunning) return
    setRunning(true)
    setFailure(null)
    try {
      await request.run?.()
      showOwnChange()
      request.answer(true)
    } catch (error) {
      setFailure(error)
      setRunning(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="lg">
        <Text component="div" size="sm">
          {request.body}
        </Text>
        {request.requiredText !== undefined && (
          <TextInput
            data-autofocus
            label={tNode('common:confirm.type', { name: <b>{request.requiredText}</b> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        )}
        {failure !== null && (
          <Alert color="red" variant="light" role="alert">
            {asApiError(failure)?.message ?? t('common:error.unknown')}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => request.answer(false)}>
            {t('common:cancel')}
          </Button>
          <Button
            type="submit"
            color={request.isDangerous === true ? 'red.9' : 'indigo'}
            loading={isRunning}
            data-autofocus={request.requiredText === undefined || undefined}
            {...(isMissing ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          >
            {request.action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
