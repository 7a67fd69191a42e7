import '../../ui/definition/definition.texts.ts'
import '../../ui/model/model.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import workflows from '../../locales/en/workflows.json'

addTexts('workflows', workflows)
