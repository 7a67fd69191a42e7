import { addTexts } from '../../lib/i18n.ts'
import texts from '../../locales/en/users.json'

addTexts('users', texts)
