import { addTexts } from '../../lib/i18n.ts'
import transfer from '../../locales/en/transfer.json'

addTexts('transfer', transfer)
