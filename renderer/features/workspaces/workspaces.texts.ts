import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/workspaces.json'

addTexts('workspaces', texts)
