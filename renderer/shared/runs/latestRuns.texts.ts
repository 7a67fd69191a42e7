import { addTexts } from '../../lib/i18n.ts'
import latestRuns from '../../locales/en/latest_runs.json'

addTexts('latest_runs', latestRuns)
