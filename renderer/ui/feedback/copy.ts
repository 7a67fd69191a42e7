import { useTimeout } from '@mantine/hooks'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { copyText } from '../../lib/page/clipboard.ts'
import { toast } from './toast.ts'

const copiedMs = 1_200

/** Copies text, and shows `done`, or that the browser refused. Resolves to true if the text was copied. */
export async function copy(text: string, done?: string): Promise<boolean> {
  const isCopied = await copyText(text)
  const message = isCopied ? done : t('common:copy_refused')
  if (message !== undefined) toast(message)
  return isCopied
}

/** Returns a function that copies text, and for a moment after it whether it was copied. */
export function useCopy() {
  const [isCopied, setCopied] = useState(false)
  const { start } = useTimeout(() => setCopied(false), copiedMs)
  const run = async (text: string): Promise<void> => {
    setCopied(await copy(text))
    start()
  }
  return { isCopied, copy: (text: string) => void run(text) }
}
