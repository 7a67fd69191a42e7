import { Skeleton } from '@mantine/core'
import styles from './first-run.module.css'

/** Keeps the panel's room while its script and its figures are on the way, so that it pushes nothing down. */
export const FirstRunPlace = () => <Skeleton className={styles['place'] ?? ''} />
