import type { EndpointGroup } from '../shared/platform/http/endpoint.ts';
import { agentExecutionsGroup } from './agent-executions/index.ts';
import { agentRunsGroup } from './agent-runs/index.ts';
import { agentVersionsGroup } from './agent-versions/index.ts';
import { agentsGroup } from './agents/index.ts';
import { alertsGroup } from './alerts/index.ts';
import { apiKeysGroup } from './api-keys/index.ts';
import { apiMcpGroup } from './api-mcp/index.ts';
import { auditLogGroup } from './audit-log/index.ts';
import { batchesGroup } from './batches/index.ts';
import { budgetsGroup } from './budgets/index.ts';
import { clientChatGroup } from './client-chat/index.ts';
import { clientTokensGroup } from './client-tokens/index.ts';
import { conversationsGroup } from './conversations/index.ts';
import { dispatchGroup } from './dispatch/index.ts';
import { exportsGroup } from './exports/index.ts';
import { flowVersionsGroup } from './flow-versions/index.ts';
import { flowsGroup } from './flows/index.ts';
import { importsGroup } from './imports/index.ts';
import { mcpAuthorizationGroup } from './mcp-authorization/index.ts';
import { mcpConnectionsGroup } from './mcp-connections/index.ts';
import { modelConfigsGroup } from './model-configs/index.ts';
import { modelUsageGroup } from './model-usage/index.ts';
import { openAiGroup } from './openai/index.ts';
import { productsGroup } from './products/index.ts';
import { providerKeysGroup } from './provider-keys/index.ts';
import { publicGroup } from './public/index.ts';
import { recordsGroup } from './records/index.ts';
import { runFeedbackGroup } from './run-feedback/index.ts';
import { runMetricsGroup } from './run-metrics/index.ts';
import { runWaitsGroup } from './run-waits/index.ts';
import { runsGroup } from './runs/index.ts';
import { schedulesGroup } from './schedules/index.ts';
import { secretsGroup } from './secrets/index.ts';
import { surfaceA2aGroup } from './surface-a2a/index.ts';
import { surfaceKeysGroup } from './surface-keys/index.ts';
import { surfaceMcpGroup } from './surface-mcp/index.ts';
import { surfaceRunsGroup } from './surface-runs/index.ts';
import { surfaceWebhooksGroup } from './surface-webhooks/index.ts';
import { surfacesGroup } from './surfaces/index.ts';
import { telemetryGroup } from './telemetry/index.ts';
import { toolRunsGroup } from './tool-runs/index.ts';
import { toolsGroup } from './tools/index.ts';
import { usageLimitsGroup } from './usage-limits/index.ts';
import { waitsGroup } from './waits/index.ts';
import { workspaceGroup } from './workspace/index.ts';

/**
 * Every group of endpoints by the name of its folder. Routes, documents, clients and roles derive from this record, in
 * its order.
 */
export const groups = {
  'api-keys': apiKeysGroup,
  'usage-limits': usageLimitsGroup,
  budgets: budgetsGroup,
  telemetry: telemetryGroup,
  'audit-log': auditLogGroup,
  flows: flowsGroup,
  'flow-versions': flowVersionsGroup,
  agents: agentsGroup,
  'agent-versions': agentVersionsGroup,
  'agent-runs': agentRunsGroup,
  'agent-executions': agentExecutionsGroup,
  runs: runsGroup,
  'run-waits': runWaitsGroup,
  waits: waitsGroup,
  alerts: alertsGroup,
  products: productsGroup,
  surfaces: surfacesGroup,
  schedules: schedulesGroup,
  'surface-keys': surfaceKeysGroup,
  'surface-runs': surfaceRunsGroup,
  'surface-webhooks': surfaceWebhooksGroup,
  'surface-mcp': surfaceMcpGroup,
  'surface-a2a': surfaceA2aGroup,
  'client-tokens': clientTokensGroup,
  'client-chat': clientChatGroup,
  conversations: conversationsGroup,
  records: recordsGroup,
  imports: importsGroup,
  exports: exportsGroup,
  dispatch: dispatchGroup,
  batches: batchesGroup,
  openai: openAiGroup,
  secrets: secretsGroup,
  'mcp-connections': mcpConnectionsGroup,
  'mcp-authorization': mcpAuthorizationGroup,
  'run-metrics': runMetricsGroup,
  'run-feedback': runFeedbackGroup,
  'model-usage': modelUsageGroup,
  'model-configs': modelConfigsGroup,
  'provider-keys': providerKeysGroup,
  tools: toolsGroup,
  'tool-runs': toolRunsGroup,
  'api-mcp': apiMcpGroup,
  workspace: workspaceGroup,
  public: publicGroup,
} as const satisfies Record<string, EndpointGroup>;

type Endpoint = (typeof groups)[keyof typeof groups]['endpoints'][number];

/** Every endpoint of the API, once. */
export const endpoints: readonly Endpoint[] = Object.values(groups).flatMap<Endpoint>(
  (group) => group.endpoints,
);
