import { resourceId } from '../../core/ids.ts';
import type { Variables } from '../../core/variables.ts';
import { agentsPartition } from '../../domain/agents/config/agent.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { flowsPartition } from '../../domain/flows/flow.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

export interface Target {
  kind: 'flow' | 'agent';
  id: string;
}

/** @param named Exactly one of the two is set. */
export const toTarget = ({ flowId, agentId }: { flowId: string | null; agentId: string | null }): Target =>
  agentId === null ? { kind: 'flow', id: flowId ?? '' } : { kind: 'agent', id: agentId };

export interface TargetInput {
  /** The variables of a flow, or of the system prompt of an agent. */
  inputs: Variables | undefined;
  /** The variable `messages` of a flow, or what an agent answers. */
  messages: readonly Message[] | undefined;
}

/**
 * What a call with parameters asks of a target: a flow has them as its variables; an agent gets its parameter `message`, or
 * else all of them as JSON.
 * @param messages Instead, if the call is part of a conversation.
 */
export function toTargetInput(
  { kind }: Target,
  parameters: Record<string, unknown>,
  messages?: readonly Message[],
): TargetInput {
  if (kind === 'flow') return { inputs: parameters, messages };
  const { message, ...inputs } = parameters;
  const content = typeof message === 'string' ? message : JSON.stringify(parameters);
  return { inputs, messages: messages ?? [{ role: 'user', content }] };
}

const partitions = { flow: flowsPartition, agent: agentsPartition } as const;

/** More entries than any tenant names by hand. */
const pagesMax = 50;

/**
 * A flow or an agent by its id or its name; of several with the name, the newest. An id takes no request: whoever starts the
 * target finds out whether it exists. @returns undefined if the first 50 MB of the list have none
 */
export const targetFinder = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (kind: Target['kind'], idOrName: string): Promise<Target | undefined> => {
      if (resourceId(kind).safeParse(idOrName).success) return { kind, id: idOrName };
      const pages = table.pages({
        partition: partitions[kind],
        index: 1,
        newestFirst: true,
        filter: { expression: '#summary.#name = :name', values: { name: idOrName } },
      });
      let left = pagesMax;
      for await (const [found] of pages) {
        if (found) return { kind, id: String(found.SK1) };
        if (--left === 0) return undefined;
      }
      return undefined;
    },
);
