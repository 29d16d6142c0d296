import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';

export type Ids = Record<
  | 'a2atask'
  | 'a2acancel'
  | 'a2aoperation'
  | 'a2apush'
  | 'flow'
  | 'record'
  | 'batch'
  | 'flowver'
  | 'key'
  | 'exec'
  | 'secret'
  | 'modelcfg'
  | 'providerkey'
  | 'budget'
  | 'mcpconn'
  | 'tool'
  | 'agent'
  | 'agentver'
  | 'cap'
  | 'agentexec'
  | 'call'
  | 'appr'
  | 'product'
  | 'productcap'
  | 'surface'
  | 'item'
  | 'surfkey'
  | 'delivery'
  | 'schedule'
  | 'clock'
  | 'clockproduct'
  | 'slug'
  | 'clienttoken'
  | 'conv'
  | 'run'
  | 'feedback'
  | 'import'
  | 'export'
  | 'wait'
  | 'alert',
  string
>;

/** Which kind of thing a parameter of a path names. */
const kinds: Record<string, keyof Ids> = {
  flowId: 'flow',
  agentId: 'agent',
  'flow-versions.versionId': 'flowver',
  'agent-versions.versionId': 'agentver',
  'agents.id': 'agent',
  'agent-runs.id': 'agent',
  'agent-executions.id': 'agent',
  'products.id': 'product',
  'surfaces.id': 'product',
  'surface-keys.id': 'product',
  'schedules.id': 'clockproduct',
  'schedules.surfaceId': 'clock',
  'schedules.runs.id': 'schedule',
  scheduleId: 'schedule',
  'surface-runs.id': 'product',
  'surface-mcp.id': 'product',
  'surface-a2a.id': 'product',
  operation: 'a2aoperation',
  'surface-a2a.get-task.taskId': 'a2atask',
  'surface-a2a.change-task.taskId': 'a2acancel',
  'surface-a2a.add-push-config.taskId': 'a2atask',
  'surface-a2a.list-push-configs.taskId': 'a2atask',
  'surface-a2a.get-push-config.taskId': 'a2atask',
  'surface-a2a.delete-push-config.taskId': 'a2atask',
  configId: 'a2apush',
  endpointSlug: 'slug',
  'agents.capabilityId': 'cap',
  'products.capabilityId': 'productcap',
  surfaceId: 'surface',
  itemId: 'item',
  keyId: 'surfkey',
  deliveryId: 'delivery',
  executionId: 'agentexec',
  toolCallId: 'call',
  'client-tokens.id': 'clienttoken',
  'conversations.id': 'conv',
  'runs.id': 'run',
  'dispatch.retry.id': 'run',
  'run-feedback.id': 'run',
  'run-feedback.delete.id': 'feedback',
  'flows.id': 'flow',
  'records.id': 'record',
  'imports.id': 'import',
  'exports.id': 'export',
  'batches.id': 'batch',
  'api-keys.id': 'key',
  'secrets.id': 'secret',
  'model-configs.id': 'modelcfg',
  'provider-keys.id': 'providerkey',
  'budgets.id': 'budget',
  'waits.id': 'wait',
  'alerts.id': 'alert',
  'mcp-connections.id': 'mcpconn',
  'tools.id': 'tool',
  'tool-runs.id': 'tool',
};

/** The id of each parameter of an endpoint's path. */
export const pathParameters = ({ id, path }: AnyEndpoint, ids: Ids): Record<string, string> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const kind = kinds[`${id}.${name}`] ?? kinds[`${id.split('.')[0]}.${name}`] ?? kinds[name];
      if (!kind) throw new Error(`${id}: add what its parameter ${name} names to \`kinds\` in path-ids.ts`);
      return [name, ids[kind]];
    }),
  );

/** What names a task of an a2a surface. */
export const taskPathIds = (digit: string) => {
  const a2atask = `task_${digit.repeat(26)}`;
  return { a2atask, a2acancel: `${a2atask}:cancel`, a2aoperation: 'message:send', a2apush: 'one' };
};
