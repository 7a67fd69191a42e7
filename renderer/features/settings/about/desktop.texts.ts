import { addTexts } from '../../../lib/i18n.ts'
import texts from '../../../locales/en/desktop.json'

addTexts('desktop', texts)
