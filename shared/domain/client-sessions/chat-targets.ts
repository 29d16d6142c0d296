import { forbidden, ifMissing, notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/config/agent.ts';
import type { ClientToken } from '../client-tokens/client-token.ts';
import { flowEntity } from '../flows/flow.ts';
import { type ExposedSurface, exposedItems } from '../surfaces/exposed-item.ts';
import type { ChatTarget } from './client-session.ts';

export interface ShownTarget {
  id: string;
  name: string;
  description: string | null;
}

interface Offer {
  /** The default first. */
  targets: ChatTarget[];
  /** Of its surface; empty without one. */
  behavior: Record<string, unknown>;
}

export const chatTargets = /* @__PURE__ */ using([exposedItems], (scope: Scope) => {
  const { table } = scope;

  /** @throws 403 if the surface of the token does not respond. */
  async function findOffer(token: ClientToken): Promise<Offer> {
    const { defaultFlowId, flowIds, agentIds, surface } = token;
    const whole =
      surface &&
      (await exposedItems(scope).findSurface(surface.productId, surface.id).catch(ifMissing(undefined)));
    const flows = defaultFlowId ? [defaultFlowId, ...flowIds] : flowIds;
    const targets = [
      ...flows.map((id) => ({ kind: 'flow' as const, id })),
      ...agentIds.map((id) => ({ kind: 'agent' as const, id })),
      ...(whole ? listExposed(whole, token) : []),
    ];
    return { targets, behavior: whole?.surface.behavior ?? {} };
  }

  return {
    findOffer,

    /** The targets of a token, the default first. @throws as `findOffer` does. */
    of: async (token: ClientToken): Promise<ChatTarget[]> => (await findOffer(token)).targets,

    /** @throws 404 if it was deleted. */
    async describe({ kind, id }: ChatTarget): Promise<ShownTarget> {
      const found =
        kind === 'flow' ? await table.get(flowEntity, { id }) : await table.get(agentEntity, { id });
      if (!found) throw notFound(kind === 'flow' ? 'Flow' : 'Agent');
      return { id, name: found.name, description: found.description ?? null };
    },
  };
});

/** What a chat surface exposes, its entry point first. */
function listExposed({ surface, exposed }: ExposedSurface, { environment }: ClientToken): ChatTarget[] {
  const isOpen = surface.status === 'active' || (surface.status === 'draft' && environment === 'test');
  if (!isOpen) throw forbidden('The chat is closed at the moment');
  return exposed
    .toSorted((one, other) => Number(other.item.isEntryPoint) - Number(one.item.isEntryPoint))
    .flatMap(({ capability: { flowId, agentId } }): ChatTarget[] => {
      if (agentId !== null) return [{ kind: 'agent', id: agentId }];
      return flowId === null ? [] : [{ kind: 'flow', id: flowId }];
    });
}
