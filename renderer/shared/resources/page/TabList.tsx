import { Tabs } from '@mantine/core'
import styles from './head.module.css'

type Props<Tab extends string> = {
  readonly tabs: readonly Tab[]
  readonly nameOf: (tab: Tab) => string
  /** True if the tab `edit` has unsaved changes. It is then marked. */
  readonly isDirty: boolean
}

/** The tabs of the page of a prompt, agent or workflow. */
export const TabList = <Tab extends string>({ tabs, nameOf, isDirty }: Props<Tab>) => (
  <Tabs.List>
    {tabs.map((name) => (
      <Tabs.Tab key={name} value={name}>
        {nameOf(name)}
        {name === 'edit' && isDirty && <span className={styles['dot']} aria-hidden="true" />}
      </Tabs.Tab>
    ))}
  </Tabs.List>
)
