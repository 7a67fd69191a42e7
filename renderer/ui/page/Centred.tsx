import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './Centred.module.css'
import { ProductMark } from './ProductMark.tsx'

type Props = { readonly title: string; readonly children: ReactNode }

/** Page without the navigation of the console: product mark, title and content. */
export function Centred({ title, children }: Props) {
  return (
    <main className={styles['page']}>
      <Stack gap="lg" className={styles['column'] ?? ''}>
        <div className={styles['brand']}>
          <ProductMark size={32} />
          <Title order={1}>{title}</Title>
        </div>
        {children}
      </Stack>
    </main>
  )
}
