import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/first_run.json'

addTexts('first_run', texts)
