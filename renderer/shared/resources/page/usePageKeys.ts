import { useKeys } from '../../../lib/page/keys.ts'

type Options<Tab extends string> = {
  readonly save: { readonly label: string; readonly run: () => void }
  readonly tabs: readonly Tab[]
  readonly tabLabel: (tab: Tab) => string
  readonly onTab: (tab: Tab) => void
}

/** Keyboard shortcuts of the page of a prompt, agent or workflow: two that save, and a digit for each tab. */
export const usePageKeys = <Tab extends string>({ save, tabs, tabLabel, onTab }: Options<Tab>): void =>
  useKeys([
    { keys: 'mod+s', ...save },
    // Like in every form; the editor of text would insert a line.
    { keys: 'mod+Enter', run: save.run },
    ...tabs.map((name, index) => ({
      keys: String(index + 1),
      label: tabLabel(name),
      run: () => onTab(name),
    })),
  ])
