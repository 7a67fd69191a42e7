import { Skeleton } from '@mantine/core'
import styles from './first-run.module.css'

/** A placeholder of the panel's size while its code and data load, so that nothing below moves. */
export const FirstRunSkeleton = () => <Skeleton className={styles['skeleton'] ?? ''} />
