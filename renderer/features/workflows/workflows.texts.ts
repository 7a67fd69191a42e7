import '../../shared/definitions/definition.texts.ts'
import '../../shared/models/model.texts.ts'
import { addTexts } from '../../lib/i18n.ts'
import workflows from '../../locales/en/workflows.json'

addTexts('workflows', workflows)
