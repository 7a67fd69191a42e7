import { MantineProvider } from '@mantine/core'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createSchemeManager } from '../lib/page/scheme.ts'
import { ConfirmHost } from '../ui/dialog/ConfirmHost.tsx'
import { Toasts } from '../ui/feedback/Toasts.tsx'
import { cssVariablesResolver, theme } from './theme.ts'

const schemes = createSchemeManager()

type Props = { readonly queries: QueryClient; readonly children: ReactNode }

export function Providers({ queries, children }: Props) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      colorSchemeManager={schemes}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queries}>
        {children}
        <ConfirmHost />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  )
}
