/**
 * The production ports of a run: everything that flows, agents and tools reach outside, acting for the owner of the run.
 * The layers of a model call and their order: `model-calls/pipeline.ts`.
 */
import { a2aPort } from '../adapters/a2a-client/a2a-adapter.ts';
import { assetStore } from '../adapters/assets/asset-store.ts';
import { mcpPort } from '../adapters/mcp-client/mcp-adapter.ts';
import { messagesPort } from '../adapters/messages/messages-adapter.ts';
import { modelPorts } from '../adapters/models/model-ports.ts';
import type { Ports } from '../adapters/ports/ports.ts';
import { sandbox } from '../adapters/sandbox/sandbox.ts';
import { vectorsPort } from '../adapters/vectors/vectors-adapter.ts';
import { loadOnce } from '../core/concurrency/load-once.ts';
import { limitMessages, messageLimits } from '../domain/conversations/message-limits.ts';
import { memoryPort } from '../domain/memory/memory-adapter.ts';
import { recordsPort } from '../domain/records/records-port.ts';
import { waitsPort } from '../domain/run-waits/waits-adapter.ts';
import { runEnd } from '../domain/runs/run-end.ts';
import type { ParentListing, RunOrigin } from '../domain/runs/run-origin.ts';
import type { RunSurface } from '../domain/surfaces/surface/run-surface.ts';
import { toolsPort } from '../domain/tools/tool-store.ts';
import { using } from '../platform/aws/uses.ts';
import type { Scope } from '../platform/data/scope.ts';
import { findBudgets, runPayers } from './model-calls/budget-accounts.ts';
import { modelAdmission } from './model-calls/model-admission.ts';
import { openModelPipeline } from './model-calls/pipeline.ts';
import { flowsPort } from './nested-flows.ts';
import { setPortsDepth } from './step-support/ports-at-depth.ts';
import { authorizeMcp } from './tools/connected-mcp.ts';

export interface RunOwner {
  userId: string;
  organizationId: string | null;
  runId: string;
  surface?: RunSurface | undefined;
  modelOverride?: string | undefined;
  origin?: RunOrigin | undefined;
  /** Whether nobody waits for the run: its calls of models come after those of others. */
  isBatch?: boolean;
  flowId?: string | undefined;
  flowName?: string | undefined;
  recordId?: string | null | undefined;
  /** The batch whose record it is. */
  batchId?: string | undefined;
  /** The listed run that it is part of. Default: itself. */
  listing?: ParentListing | undefined;
}

// Heavy modules are loaded with the first step that needs them.
const loadModelResolver = loadOnce(() => import('../domain/model-configs/model-resolver.ts'));
const loadAgentsOfRun = loadOnce(() => import('./agent-runs/agents-of-run.ts'));
const loadSecretValues = loadOnce(() => import('../domain/secrets/secret-values.ts'));
const loadSafeFetch = loadOnce(() => import('../adapters/net/safe-fetch.ts'));
const loadResultTable = loadOnce(() => import('./runs/result-table.ts'));
const loadConnectionTokens = loadOnce(() => import('../domain/mcp-connections/connection-tokens.ts'));

/** The production ports, acting for the owner of the run. */
export const openPorts = /* @__PURE__ */ using(
  [
    'table:read',
    'secrets:read',
    'provider-keys',
    'own-keys:read',
    'agent-credentials:read',
    'mcp-connections:read',
    'mcp-connections:write',
    'run-values',
    // Refreshed tokens of MCP connections are stored.
    'table:write',
    // Runs of agents that keep no log forget what was said.
    'table:delete',
    'payloads:delete',
    // Agents inside of a run record their ends.
    'queue:deliveries',
    runEnd,
    modelPorts,
    recordsPort,
    sandbox,
    vectorsPort,
    memoryPort,
    assetStore,
    messagesPort,
    messageLimits,
    toolsPort,
    flowsPort,
    waitsPort,
    { memoryMb: 1_024 },
  ],
  (scope: Scope, owner: RunOwner): Ports => {
    const { userId, organizationId, runId, surface, modelOverride, isBatch = false } = owner;
    const { listing = { runId, rootRunId: runId } } = owner;
    const accounts = loadOnce(async () => (await loadModelResolver()).modelResolver(scope));
    const agents = loadOnce(async () =>
      (await loadAgentsOfRun()).agentsOfRun(scope, { ...owner, listing }, ports),
    );
    const names = {
      alternatives: async (name: string) => (await accounts()).alternatives(name),
      limits: async (name: string) => (await accounts()).limits(name),
      embeddingModel: async () => (await accounts()).embeddingModel(),
      identity: async (name: string) => (await accounts()).identity(name),
    };
    const admission = modelAdmission(scope, { isLive: !isBatch });
    const models = modelPorts(async (name) => (await accounts()).resolve(name), names, admission);
    const budgets = findBudgets(scope, runPayers(owner), async (name) => (await accounts()).getPricing(name));
    const ports: Ports = {
      now: scope.now,
      secrets: async (keys) => (await loadSecretValues()).versionedSecrets(scope)(keys),
      shown: (text) => text,
      warn() {},
      ...openModelPipeline(models, budgets, modelOverride),
      fetch: async (request) => (await loadSafeFetch()).safeFetch(request),
      searchAccount: async (provider) => (await accounts()).searchAccount(provider),
      sandbox: sandbox(scope),
      records: {
        ...recordsPort(scope, { userId, organizationId, productSurfaceId: surface?.surfaceId }),
        async *batchRows(batchId) {
          const { batchTable } = await loadResultTable();
          for await (const { rows } of batchTable(scope)(batchId, {})) yield rows;
        },
      },
      vectors: vectorsPort(scope),
      memory: memoryPort(scope),
      assets: assetStore({ tenant: scope.table.tenant, runId }),
      messages: limitMessages(messageLimits(scope), messagesPort(scope.table.tenant)),
      tools: toolsPort(scope),
      a2a: a2aPort,
      mcp: authorizeMcp(mcpPort(scope.table.tenant), async () =>
        (await loadConnectionTokens()).connectionTokens(scope),
      ),
      flows: flowsPort(scope, { userId, organizationId, runId, listing }),
      waits: waitsPort(scope, toWaitOwner(owner, listing)),
      agents: {
        run: async (request) => (await agents()).run(request),
        versionOf: async (id) => (await agents()).versionOf(id),
      },
    };
    return setPortsDepth(ports, surface?.depth ?? 0);
  },
);

const toWaitOwner = (owner: RunOwner, { runId: listedId, rootRunId, tags = [] }: ParentListing) => ({
  runId: owner.runId,
  listedId,
  rootRunId,
  tags,
  flowId: owner.flowId ?? null,
  flowName: owner.flowName ?? null,
  recordId: owner.recordId ?? null,
  batchId: owner.batchId ?? null,
});
