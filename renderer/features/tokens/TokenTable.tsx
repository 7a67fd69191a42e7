import { Button, VisuallyHidden } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { AccessBadge } from '../../shared/access/AccessBadge.tsx'
import { RoleBadge } from '../../shared/access/RoleBadge.tsx'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import { WorkspaceName } from '../../shared/workspaces/WorkspaceName.tsx'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { SmallTable } from '../../ui/list/SmallTable.tsx'
import { gatewayUseOf } from './GatewayField.tsx'
import { TokenBudget } from './TokenBudget.tsx'
import { TokenDecision } from './TokenDecision.tsx'
import { TokenGateway } from './TokenGateway.tsx'
import { TokenMenu } from './TokenMenu.tsx'
import styles from './tokens.module.css'

export function TokenTable({ tokens }: { readonly tokens: readonly ApiToken[] }) {
  const queries = useQueryClient()
  const [ownerToken, setOwnerToken] = useDialogState<ApiToken>('token.owner')
  const [budgetToken, setBudgetToken] = useDialogState<ApiToken>('token.budget')
  const [gatewayToken, setGatewayToken] = useDialogState<ApiToken>('token.gateway')
  const revoke = ({ id, name }: ApiToken): Promise<boolean> =>
    confirm({
      title: t('tokens:revoke_title'),
      body: t('tokens:revoke_body', { name }),
      action: t('tokens:revoke'),
      isDangerous: true,
      run: async () => {
        await client.tokens.revoke({ params: { id } })
        await invalidateEntities(queries, 'token', 'audit', 'client')
        toast(t('tokens:revoked'))
      },
    })
  return (
    <>
      <SmallTable label={t('tokens:title')} isDense>
        <thead>
          <tr>
            <th scope="col">{t('tokens:name')}</th>
            <th scope="col">{t('tokens:role')}</th>
            <th scope="col">{t('tokens:limit')}</th>
            <th scope="col">{t('tokens:owner')}</th>
            <th scope="col">{t('tokens:last_used')}</th>
            <th scope="col">{t('tokens:expires')}</th>
            <th scope="col">
              <VisuallyHidden>{t('tokens:actions')}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td data-wraps className={styles['name']}>
                <bdi>{token.name}</bdi>
                <div className="dimmed mono">{t('tokens:ends_in', { hint: token.hint })}</div>
              </td>
              <td data-wraps>
                <span className={styles['place']}>
                  <TokenRights token={token} />
                  {token.gateway && <Badge>{t(`tokens:gateway_badge_${gatewayUseOf(token)}`)}</Badge>}
                </span>
                {token.effective_memberships === null &&
                  token.effective_role !== null &&
                  token.effective_role !== token.role && (
                    <div className="dimmed">
                      {t('tokens:reduced', { role: t(`common:role.${token.role}`) })}
                    </div>
                  )}
              </td>
              <td>
                <TokenScope token={token} />
              </td>
              <td>
                <Owner token={token} />
              </td>
              <td>
                {token.last_used_at === null ? (
                  <span className="dimmed">{t('tokens:never_used')}</span>
                ) : (
                  <Time at={token.last_used_at} />
                )}
              </td>
              <td>
                <Expiry at={token.expires_at} />
              </td>
              <td data-tools>
                {token.binding === 'undecided' && (
                  <Button
                    size="compact-xs"
                    aria-label={t('tokens:decide_named', { name: token.name })}
                    onClick={() => setOwnerToken(token)}
                  >
                    {t('tokens:decide')}
                  </Button>
                )}
                <TokenMenu
                  token={token}
                  onOwner={() => setOwnerToken(token)}
                  onGateway={() => setGatewayToken(token)}
                  onBudget={() => setBudgetToken(token)}
                  onRevoke={() => void revoke(token)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
      {budgetToken !== null && <TokenBudget token={budgetToken} onClose={() => setBudgetToken(null)} />}
      {gatewayToken !== null && <TokenGateway token={gatewayToken} onClose={() => setGatewayToken(null)} />}
      {ownerToken !== null && <TokenDecision token={ownerToken} onClose={() => setOwnerToken(null)} />}
    </>
  )
}

/** The role of a token, or its listed workspaces. */
const TokenRights = ({ token }: { readonly token: ApiToken }) =>
  token.effective_memberships === null ? (
    <RoleBadge role={token.effective_role ?? token.role} />
  ) : (
    <AccessBadge memberships={token.effective_memberships} />
  )

/** The environments and the workspace that the token is limited to. */
function TokenScope({ token: { workspace, namespaces } }: { readonly token: ApiToken }) {
  if (workspace === null && namespaces === null) return <span className="dimmed">{t('tokens:no_limit')}</span>
  return (
    <span className={styles['place']}>
      {namespaces?.map((env) => (
        <EnvBadge key={env} env={env} />
      ))}
      {workspace !== null && <WorkspaceName workspace={workspace} />}
    </span>
  )
}

/**
 * The owner of a token, and whether the owner's account has ended. The token ends or loses rights with it.
 */
function Owner({ token: { binding, owner, ended } }: { readonly token: ApiToken }) {
  if (binding === 'undecided') return <Badge tone="warn">{t('tokens:needs_decision')}</Badge>
  if (binding === 'service') return <span className="dimmed">{t('tokens:binding_service')}</span>
  return (
    <>
      {owner?.name != null && <bdi>{owner.name}</bdi>}
      {ended !== null && ended !== 'expired' && (
        <div>
          <Badge tone="bad">{t(`tokens:ended_${ended}`)}</Badge>
        </div>
      )}
    </>
  )
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="dimmed">{t('tokens:expiry_never')}</span>
  if (Date.parse(at) <= Date.now()) return <Badge tone="warn">{t('tokens:expired')}</Badge>
  return <Time at={at} />
}
