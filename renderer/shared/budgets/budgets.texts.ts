import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/budgets.json'

addTexts('budgets', texts)
