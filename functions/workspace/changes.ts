import { findHeldLists, mapHeldLists } from '../../shared/domain/flows/steps/held-lists.ts';
import { agentsKind } from '../../shared/domain/workspace/kinds/agents.ts';
import type { ResourceMembers } from '../../shared/domain/workspace/kinds/kind.ts';
import { patchBetween } from '../../shared/domain/workspace/patch-between.ts';

/** Of a resource as it is stored, with ids, and as it will be. */
interface Change {
  stored: ResourceMembers;
  after: ResourceMembers;
}

/** Steps keep the ids that the service gave them, by which the results of runs name them. */
export const flowChanges = ({ stored, after }: Change): ResourceMembers => ({
  description: null,
  ...after,
  flowSteps: withIds((after.flowSteps ?? []) as Step[], (stored.flowSteps ?? []) as Step[]),
});

interface Step {
  id?: string;
  name: string;
  type: string;
  config?: ResourceMembers;
}

/** Steps are the same that have the same name and type. */
function withIds(steps: readonly Step[], stored: readonly Step[]): Step[] {
  const rest = [...stored];
  return steps.map((step) => {
    const at = rest.findIndex(({ name, type }) => name === step.name && type === step.type);
    const [same] = at < 0 ? [] : rest.splice(at, 1);
    const held = findHeldLists(same?.config).map((list) => list.steps as Step[]);
    const config = mapHeldLists(step.config ?? {}, (list) => withIds(list as Step[], held.shift() ?? []));
    return { ...(same?.id !== undefined && { id: same.id }), ...step, config };
  });
}

/** Its endpoint merges configs. */
export function agentChanges({ stored, after }: Change): ResourceMembers {
  const before = agentsKind.tidy?.(stored) ?? stored;
  const merged = ['config', 'externalConfig', 'vendorManagedConfig'].map((name) => [
    name,
    after[name] ? patchBetween(before[name], after[name]) : null,
  ]);
  return { ...agentsKind.defaults, ...after, ...Object.fromEntries(merged) };
}

/** Null lifts a limit. The default changes by making another config the default. */
export function modelConfigChanges({ stored, after: { isDefault, ...after } }: Change): ResourceMembers {
  return {
    providerKeyId: null,
    settings: {},
    isEnabled: true,
    ...after,
    limits: patchBetween(stored.limits ?? {}, after.limits ?? {}),
    ...(isDefault === true && stored.isDefault !== true && { isDefault }),
  };
}

export const productChanges = ({ stored, after }: Change): ResourceMembers => ({
  description: null,
  icon: null,
  ...after,
  spec: patchBetween(stored.spec ?? {}, after.spec ?? {}),
});

export const itemChanges = ({ stored, after }: Change): ResourceMembers => ({
  enabled: true,
  endpointSlug: null,
  exposedName: null,
  exposedDescription: null,
  isEntryPoint: false,
  presentation: null,
  ...after,
  config: after.config ? patchBetween(stored.config ?? {}, after.config) : null,
});

export const scheduleChanges = ({ after }: Change): ResourceMembers => ({
  cron: null,
  runAt: null,
  timezone: null,
  recordType: null,
  recordFilter: null,
  recordIds: [],
  enabled: true,
  executionOptions: {},
  ...after,
});

type Secret = string | { id?: string };
interface Signed {
  signature?: { secrets: Secret[] };
}

/** `behavior` is merged at its first level; stored secrets get their ids back, in their order. */
export function surfaceChanges({ stored, after }: Change): ResourceMembers {
  const [old, behavior] = [stored.behavior ?? {}, after.behavior ?? {}];
  const removed = Object.keys(old).filter((name) => !Object.hasOwn(behavior, name));
  const inbound = (after.inbound ?? {}) as Signed;
  const { signature } = (stored.inbound ?? {}) as Signed;
  const secrets = signature?.secrets.filter((each) => typeof each !== 'string') ?? [];
  const filled = inbound.signature?.secrets.map((each) =>
    typeof each === 'string' ? each : (secrets.shift() ?? each),
  );
  return {
    environment: 'development',
    status: 'draft',
    outbound: {},
    ...after,
    behavior: { ...Object.fromEntries(removed.map((name) => [name, null])), ...behavior },
    inbound: filled ? { ...inbound, signature: { ...inbound.signature, secrets: filled } } : inbound,
  };
}
