import { core } from './0001-0010/0001_core.ts'
import { runs } from './0001-0010/0002_runs.ts'
import { auditWords } from './0001-0010/0003_audit_words.ts'
import { prompts } from './0001-0010/0004_prompts.ts'
import { providers } from './0001-0010/0005_providers.ts'
import { calls } from './0001-0010/0006_calls.ts'
import { agentsWorkflows } from './0001-0010/0007_agents_workflows.ts'
import { apiTokens } from './0001-0010/0008_api_tokens.ts'
import { workspaceSlugs } from './0001-0010/0009_workspace_slugs.ts'
import { tokenOwners } from './0001-0010/0010_token_owners.ts'
import { runContext } from './0011-0020/0011_run_context.ts'
import { chatPrompts } from './0011-0020/0012_chat_prompts.ts'
import { promptIncludes } from './0011-0020/0013_prompt_includes.ts'
import { alerts } from './0011-0020/0014_alerts.ts'
import { promptKeys } from './0011-0020/0015_prompt_keys.ts'
import { addedProviders } from './0011-0020/0016_added_providers.ts'
import { sampleItems } from './0011-0020/0017_sample_items.ts'
import { payloadState } from './0011-0020/0018_payload_state.ts'
import { sessionsViews } from './0011-0020/0019_sessions_views.ts'
import { runDimensions } from './0011-0020/0020_run_dimensions.ts'
import { access } from './0021-0030/0021_access.ts'
import { devices } from './0021-0030/0022_devices.ts'
import { secondFactors } from './0021-0030/0023_second_factors.ts'
import { rollupTtft } from './0021-0030/0024_rollup_ttft.ts'
import { gateway } from './0021-0030/0025_gateway.ts'
import { spans } from './0021-0030/0026_spans.ts'
import { budgets } from './0021-0030/0027_budgets.ts'
import { responseCache } from './0021-0030/0028_response_cache.ts'
import { runPartitions } from './0021-0030/0029_run_partitions.ts'
import { sharedKeys } from './0021-0030/0030_shared_keys.ts'
import { traceSpans } from './0031-0040/0031_trace_spans.ts'
import { instances } from './0031-0040/0032_instances.ts'
import { payloads } from './0031-0040/0033_payloads.ts'
import { connectedClients } from './0031-0040/0034_connected_clients.ts'
import { callInstances } from './0031-0040/0035_call_instances.ts'
import { providerRequestId } from './0031-0040/0036_provider_request_id.ts'
import { partialRunIndexes } from './0031-0040/0037_partial_run_indexes.ts'
import { countedRuns } from './0031-0040/0038_counted_runs.ts'
import type { Migration } from './migration.ts'

/** Every migration, oldest first, without gaps. */
export const migrations: readonly Migration[] = [
  core,
  runs,
  auditWords,
  prompts,
  providers,
  calls,
  agentsWorkflows,
  apiTokens,
  workspaceSlugs,
  tokenOwners,
  runContext,
  chatPrompts,
  promptIncludes,
  alerts,
  promptKeys,
  addedProviders,
  sampleItems,
  payloadState,
  sessionsViews,
  runDimensions,
  access,
  devices,
  secondFactors,
  rollupTtft,
  gateway,
  spans,
  budgets,
  responseCache,
  runPartitions,
  sharedKeys,
  traceSpans,
  instances,
  payloads,
  connectedClients,
  callInstances,
  providerRequestId,
  partialRunIndexes,
  countedRuns,
]
