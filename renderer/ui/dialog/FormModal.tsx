import { Button, Group, Stack } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { ProblemCode } from '../../../contract/common/problem.ts'
import { t } from '../../lib/i18n.ts'
import { asApiError, fieldErrors } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { isSecret } from '../../lib/state/drafts.ts'
import { showOwnChange } from '../../lib/state/pausedRows.ts'
import { useDraft } from '../../lib/state/useDraft.ts'
import { Dialog } from './Dialog.tsx'
import { FormFailure } from './FormFailure.tsx'
import { useDialogGuard } from './useLeaveGuard.ts'

type FieldOf<V> = keyof V & string
type Rules<V> = { readonly [K in keyof V]?: (value: V[K], values: V) => string | null }

type Props<V extends Record<string, unknown>> = {
  readonly title: string
  readonly initial: V
  readonly submitLabel: string
  /** Throws the service's error. Its field errors are shown at their fields. */
  readonly onSubmit: (values: V) => Promise<unknown>
  readonly onClose: () => void
  readonly children: (form: UseFormReturnType<V>) => ReactNode
  /** Checks that need no request. The service validates again. */
  readonly rules?: Rules<V>
  /** Field for each problem that concerns a single one: `{ 'user.username_taken': 'username' }`. */
  readonly problemFields?: Partial<Record<ProblemCode, FieldOf<V>>>
  readonly size?: number
  /** Name of the draft that stores the typed values if the session expires (see lib/state/drafts.ts); else the title. */
  readonly draft?: string
}

/** Returns the messages of an error by the field that they concern. */
function messagesOf<V>(
  error: unknown,
  problemFields: Partial<Record<ProblemCode, FieldOf<V>>> | undefined,
): Readonly<Record<string, string>> {
  const problem = asApiError(error)?.problem ?? null
  const field = problem === null ? undefined : problemFields?.[problem.code]
  return field === undefined ? fieldErrors(error) : { [field]: problem?.detail ?? '' }
}

function brokenRules<V extends Record<string, unknown>>(values: V, rules: Rules<V> | undefined) {
  const messages: Record<string, string> = {}
  for (const name of Object.keys(rules ?? {}) as FieldOf<V>[]) {
    const message = rules?.[name]?.(values[name], values)
    if (message) messages[name] = message
  }
  return messages
}

/**
 * Form in a dialog. Enter submits; leaving with changes asks first. Mount it to open, unmount it to close.
 */
export function FormModal<V extends Record<string, unknown>>(props: Props<V>) {
  const { initial, rules, problemFields } = props
  const form = useForm<V>({
    initialValues: initial,
    validate: (values) => brokenRules(values, rules),
  })
  const restored = useDraft(props.draft ?? props.title, () => {
    const values = form.getValues()
    return Object.keys(values).some((field) => !isSecret(field, values[field]) && form.isDirty(field))
      ? values
      : null
  })
  const [isFilled, setFilled] = useState(restored === null)
  useEffect(() => {
    if (isFilled || restored === null) return
    form.setValues(restored as Partial<V>)
    setFilled(true)
  }, [isFilled, restored, form.setValues])
  const [failure, setFailure] = useState<unknown>(null)
  const isDone = useRef(false)
  const { mutate: submit, isPending: isSending } = useFormMutation({
    mutationFn: props.onSubmit,
    onMutate: () => {
      isDone.current = true
      setFailure(null)
    },
    onSuccess: () => {
      showOwnChange()
      props.onClose()
    },
    onError: (error) => {
      isDone.current = false
      const fieldMessages = Object.entries(messagesOf(error, problemFields)).filter(
        ([name]) => (name.split('.')[0] as string) in initial,
      )
      for (const [name, message] of fieldMessages) form.setFieldError(name, message)
      const inputs = fieldMessages.map(([name]) => form.getInputNode(name))
      // No field displays the message of a part without an input of its own.
      if (inputs.length === 0 || inputs.includes(null)) setFailure(error)
      inputs.find((input) => input !== null)?.focus()
    },
  })

  const guarded = useDialogGuard(() => !isDone.current && form.isDirty(), isSending, props.onClose)

  return (
    <Dialog {...guarded} title={props.title} size={props.size ?? 440}>
      <form onSubmit={form.onSubmit((values) => submit(values))} noValidate>
        <Stack gap="lg">
          {restored !== null && <div className="dimmed">{t('common:form.restored')}</div>}
          {props.children(form)}
          {failure !== null && <FormFailure error={failure} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => guarded.onClose()}>
              {t('common:cancel')}
            </Button>
            <Button type="submit" loading={isSending}>
              {props.submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
