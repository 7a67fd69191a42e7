import { offlineProvider } from '../../../../contract/models/models.ts'
import type { Provider } from '../../../../contract/models/providers.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { TextLink } from '../../../ui/display/link/TextLink.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { GatewayHealth } from './GatewayHealth.tsx'

/** Number of models listed by name. */
const shownModels = 6

function Key({ provider }: { readonly provider: Provider }) {
  const {
    has_key: hasKey,
    key_hint: hint,
    key_set_at: at,
    needs_key: isRequired,
    key_problem: problem,
  } = provider
  if (problem !== null) return problem
  if (!hasKey) return t(isRequired ? 'providers:facts.key_needed' : 'providers:facts.key_none')
  const key =
    hint === null
      ? t('providers:facts.key_set')
      : tNode('providers:facts.key_hint', { hint: <span className="mono">{hint}</span> })
  return tNode('providers:facts.key_since', { key, time: <Time at={at} /> })
}

function Models({ models }: { readonly models: readonly string[] }) {
  if (models.length === 0) return t('providers:facts.models_none')
  const names = <span className="mono">{models.slice(0, shownModels).join(', ')}</span>
  const rest = models.length - shownModels
  return rest > 0 ? tNode('providers:facts.models_more', { names, count: formatNumber(rest) }) : names
}

/** The configuration of a provider, one setting per line. */
export function ProviderFacts({ provider }: { readonly provider: Provider }) {
  const { name, base_url: address, default_model: model, concurrency, models, prices } = provider
  const hasAddress = name !== offlineProvider
  return (
    <Facts
      facts={[
        {
          label: t('providers:facts.address'),
          value: hasAddress ? (
            <span className="mono">{address ?? t('providers:facts.none')}</span>
          ) : (
            t('providers:facts.inside')
          ),
          copy: address,
        },
        hasAddress && { label: t('providers:facts.key'), value: <Key provider={provider} /> },
        { label: t('providers:facts.models'), value: <Models models={models} /> },
        {
          label: t('providers:facts.default'),
          value: model === null ? t('providers:facts.default_none') : <span className="mono">{model}</span>,
        },
        {
          label: t('providers:facts.concurrency'),
          value: concurrency === null ? t('providers:facts.concurrency_none') : formatNumber(concurrency),
        },
        hasAddress && {
          label: t('providers:facts.gateway'),
          value: <GatewayHealth provider={name} />,
        },
        {
          label: t('providers:facts.prices'),
          value: (
            <TextLink to="/settings" hash="prices">
              {prices.length === 0
                ? t('providers:facts.prices_none')
                : t('providers:facts.prices_count', { count: prices.length })}
            </TextLink>
          ),
        },
      ]}
    />
  )
}
