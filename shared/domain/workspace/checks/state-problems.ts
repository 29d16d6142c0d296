/**
 * What endpoints would refuse because of other resources, as these will be after the apply: agents that call themselves, flows
 * that run themselves or too much, models, connections and times that do not fit.
 *
 * The checks are those of the endpoints, run on a mix of what is stored and what the document makes of it; names of the
 * document stand for ids through the name book. Called by `functions/workspace/planner.ts` after `plan.ts`, because it needs
 * to know which resources change.
 */

import { loadCatalog } from '../../../adapters/models/catalog.ts';
import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { mapConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import { findStepTargetProblems } from '../../agents/checks/step-targets.ts';
import { findLinkProblem, readSubAgents, type SubAgents } from '../../agents/checks/sub-agent-links.ts';
import type { Agent } from '../../agents/config/agent.ts';
import { flowFinder } from '../../flows/flow-store.ts';
import type { FlowStep } from '../../flows/steps/step.ts';
import { createFlowReader, type FlowReader } from '../../flows/sub-flows/sub-flows.ts';
import { versionFinder } from '../../flows/version-store.ts';
import { connectionsOfServers, findConnectionProblems } from '../../mcp-connections/named-connections.ts';
import { assertKnownModel, assertOwnKey } from '../../model-configs/config-changes.ts';
import { type ModelConfig, readModelAccount } from '../../model-configs/model-account.ts';
import { scheduleDefaults } from '../../schedules/schedule-body.ts';
import { assertConsistent, type Edited, isRetimed } from '../../schedules/trigger.ts';
import { agentsKind } from '../kinds/agents.ts';
import { flowsKind } from '../kinds/flows.ts';
import type { ResourceMembers } from '../kinds/kind.ts';
import { modelConfigsKind } from '../kinds/model-configs.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import type { NameBook } from '../names.ts';
import { filterSaved, type PlannedChange } from '../plan.ts';
import { isWritten } from '../writer.ts';
import { findRefusalProblems, placeDetails } from './refused.ts';

/** What endpoints would refuse because of other resources, as these are after the apply. */
export const stateProblems = /* @__PURE__ */ using(
  ['table:read', flowFinder, versionFinder],
  (scope: Scope) =>
    async (changes: readonly PlannedChange[], book: NameBook): Promise<ErrorDetail[]> => {
      const toId = book.toId((target, name) => book.addPlaceholder(target, name));
      const found = await Promise.all([
        findModelConfigProblems(scope.table, changes, toId),
        findFlowProblems(scope, changes, { book, toId }),
        findAgentProblems(scope, changes, { book, toId }),
        findScheduleProblems(changes, scope.now()),
      ]);
      return found.flat();
    },
);

/** Why agents cannot be saved: they would call themselves with the sub-agents of the document, or a connection does not fit. */
async function findAgentProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = changes.filter(({ kind, action }) => kind === 'agents' && action !== 'delete');
  const getId = ({ name }: PlannedChange) => String(book.getId('agents', name));
  const readSubAgent = (content: ResourceMembers) =>
    typeof content.subAgentId === 'string' ? toId('agents', content.subAgentId, []) : undefined;
  const called = new Map(
    saved.map((change) => {
      const { capabilities = [] } = change.node.after?.parts ?? {};
      return [getId(change), capabilities.flatMap(({ content }) => readSubAgent(content) ?? [])] as const;
    }),
  );
  const listSubAgents: SubAgents = async (ids) => [
    ...ids.flatMap((id) => called.get(id) ?? []),
    ...(await readSubAgents(
      scope.table,
      ids.filter((id) => !called.has(id)),
    )),
  ];
  const ofLinks = saved.flatMap((change) =>
    (change.node.parts.capabilities ?? []).filter(isWritten).map(async (node) => {
      const subAgentId = readSubAgent(node.after?.content ?? {});
      const problem = subAgentId && (await findLinkProblem(listSubAgents, getId(change), subAgentId));
      return problem ? placeDetails(node, [problem]) : [];
    }),
  );
  const ofConnections = saved.map(async ({ node }) => {
    const { before, after } = node;
    const named = listConnections(agentsKind.references(after?.content ?? {}, toId));
    const current = listConnections(before?.resource?.content ?? {});
    return placeDetails(node, await findConnectionProblems(scope.table, named, current));
  });
  return (await Promise.all([...ofLinks, ...ofConnections])).flat();
}

const listConnections = ({ config }: ResourceMembers) =>
  connectionsOfServers((config as Agent['config'])?.tools?.mcpServers);

/** Why model configs cannot be saved: the catalog has no such model, or the key is of another provider. */
async function findModelConfigProblems(
  table: TenantTable,
  changes: readonly PlannedChange[],
  toId: ReplaceReference,
): Promise<ErrorDetail[]> {
  const saved = filterSaved(changes, 'modelConfigs');
  if (saved.length === 0) return [];
  const [catalog, account] = await Promise.all([loadCatalog(), readModelAccount(table)]);
  const found = saved.flatMap(({ node }) => {
    const content = modelConfigsKind.references(node.after?.content ?? {}, toId);
    const config = { settings: {}, providerKeyId: null, ...content } as unknown as ModelConfig;
    return [
      findRefusalProblems(node, () => assertKnownModel(catalog, config)),
      findRefusalProblems(node, () => assertOwnKey(account, config)),
    ];
  });
  return (await Promise.all(found)).flat();
}

/** Why schedules cannot be saved: their time is over, or their members do not fit each other. */
async function findScheduleProblems(changes: readonly PlannedChange[], now: Date): Promise<ErrorDetail[]> {
  const nodes = changes
    .flatMap(({ node }) => node.parts.surfaces ?? [])
    .flatMap(({ parts }) => parts.schedules ?? [])
    .filter(isWritten);
  const found = nodes.map((node) => {
    const after = { ...scheduleDefaults, ...node.after?.content } as Edited;
    const before = node.before && ({ ...scheduleDefaults, ...node.before.content } as Edited);
    const mustComeYet = before === undefined || (after.enabled && isRetimed(before, after));
    return findRefusalProblems(node, () => assertConsistent(after, mustComeYet ? now : undefined));
  });
  return (await Promise.all(found)).flat();
}

const checksAtOnce = 20;

/** Why flows cannot be saved with their steps: they would run themselves, or too many others, with the drafts of the document. */
async function findFlowProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = filterSaved(changes, 'flows');
  const turn = eventLoopYielder();
  const drafts = new Map<string, Draft>();
  for (const { name, action, node } of saved) {
    await turn();
    const { flowSteps = [] } = flowsKind.references(node.after?.content ?? {}, toId);
    const draft = { name, steps: flowSteps as FlowStep[], isStored: action === 'update' };
    drafts.set(String(book.getId('flows', name)), draft);
  }
  const sources = {
    table: scope.table,
    flows: addDrafts(createFlowReader(scope), drafts),
    // The names of a document that stand for nothing are known by now.
    find: async (targets: readonly unknown[]) => targets,
  };
  const found: ErrorDetail[][] = [];
  const checks = mapConcurrently(saved.entries(), checksAtOnce, async ([at, { name, node }]) => {
    await turn();
    const flowId = String(book.getId('flows', name));
    const steps = drafts.get(flowId)?.steps ?? [];
    const path = [...(node.after?.path ?? []), 'flowSteps'];
    found[at] = await findStepTargetProblems(sources, { steps, path, flowId });
  });
  for await (const _ of checks);
  return found.flat();
}

interface Draft {
  name: string;
  steps: FlowStep[];
  isStored: boolean;
}

/** What is published stays so until the end of an apply. */
const addDrafts = (stored: FlowReader, drafts: ReadonlyMap<string, Draft>): FlowReader => ({
  ...stored,
  async flow(id) {
    const draft = drafts.get(id);
    if (!draft) return stored.flow(id);
    const { name, steps, isStored } = draft;
    const flow = isStored ? await stored.flow(id) : undefined;
    return { name, steps, publishedVersionId: flow?.publishedVersionId ?? null };
  },
});
