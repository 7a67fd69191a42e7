import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/login.json'

addTexts('login', texts)
