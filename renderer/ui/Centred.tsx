import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './Centred.module.css'
import { ProductMark } from './ProductMark.tsx'

type Props = { readonly title: string; readonly children: ReactNode }

/** A page without the console around it: the product's mark, a title, and the one thing to do. */
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
