import { resourceId } from '../../core/ids.ts';
import { agentsPartition } from '../../domain/agents/config/agent.ts';
import { flowsPartition } from '../../domain/flows/flow.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Target } from './target.ts';

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
