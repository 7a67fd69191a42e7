import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useRef } from 'react'

/**
 * The mutation of a form. It ignores `mutate` while a request is in progress; `isPending` changes too late for
 * a second submission in the same task.
 */
export function useFormMutation<D = unknown, V = void, C = unknown>(
  options: Omit<UseMutationOptions<D, Error, V, C>, 'onSettled'>,
) {
  const isSending = useRef(false)
  const mutation = useMutation<D, Error, V, C>({
    ...options,
    onSettled: () => {
      isSending.current = false
    },
  })
  const mutate = (values: V): void => {
    if (isSending.current) return
    isSending.current = true
    mutation.mutate(values)
  }
  return { ...mutation, mutate }
}
