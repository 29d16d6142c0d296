import { insideRunsPartition, runsPartition } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Removes the rows of a deleted flow or agent. Reads all of the tenant: a read unit for eight runs. */
export const listedRunRemover = /* @__PURE__ */ using(
  ['table:write'],
  ({ table }: Scope) =>
    async (owner: { flowId: string } | { agentId: string }): Promise<void> => {
      const [[name, id]] = Object.entries(owner) as [[string, string]];
      const filter = { expression: `#summary.#${name} = :owner`, values: { owner: id } };
      for (const partition of [runsPartition, insideRunsPartition]) {
        for await (const items of table.pages({ partition, filter, attributes: [] })) {
          await table.removeAll(items);
        }
      }
    },
);
