import type { Page } from 'playwright'
import { dialogPart, drawerPart, filterPart, tablePart } from '../parts.ts'
import { openPath } from '../warm.ts'

type NewUser = { username: string; password: string; role?: 'Viewer' | 'Editor' | 'Admin' }

export const usersPage = (page: Page) => {
  const table = tablePart(page, 'Users')
  const dialog = dialogPart(page)
  return {
    ...table,
    drawer: drawerPart(page),
    dialog,
    filters: filterPart(page),
    add: page.getByRole('button', { name: 'Add user' }).first(),
    open: table.open,
    goto: (search = '') => openPath(page, `/users${search}`),
    async fill({ username, password, role }: NewUser): Promise<void> {
      await dialog.field('Username').fill(username)
      await dialog.field(/^Password/).fill(password)
      if (role !== undefined) await dialog.choose(role)
    },
    submit: () => dialog.button('Add user').click(),
    roleOf: (username: string) =>
      table.row(username).getByRole('button', { name: `Change the role of ${username}` }),
    /** Selects a role in the row, without answering the confirmation. */
    async pickRole(username: string, role: 'Viewer' | 'Editor' | 'Admin'): Promise<void> {
      await table
        .row(username)
        .getByRole('button', { name: `Change the role of ${username}` })
        .click()
      await page.getByRole('menuitem', { name: role }).click()
    },
  }
}
