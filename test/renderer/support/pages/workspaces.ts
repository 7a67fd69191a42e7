import type { Page } from 'playwright'
import { dialogPart, drawerPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

export const workspacesPage = (page: Page) => ({
  ...tablePart(page, 'Workspaces'),
  drawer: drawerPart(page),
  dialog: dialogPart(page),
  filters: filterPart(page),
  create: page.getByRole('button', { name: 'Create workspace' }).first(),
  goto: (search = '') => openPath(page, `/workspaces${search}`),
})
