import { addTexts } from '../../../lib/i18n.ts'
import texts from '../../../locales/en/run_content.json'

addTexts('run_content', texts)
