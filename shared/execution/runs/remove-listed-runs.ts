import { feedbackRemover, type RunSubject } from '../../domain/feedback/run-feedback-store.ts';
import { runRowRemover } from '../../domain/run-metrics/sweep-metrics.ts';
import { insideRunsPartition, runEntity, runsPartition } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Removes the rows of a deleted flow, agent or tool, and the feedback on them. Reads all of the tenant: a read unit for eight runs. */
export const listedRunRemover = /* @__PURE__ */ using(
  ['table:write', runRowRemover, feedbackRemover],
  (scope: Scope) =>
    async (owner: RunSubject): Promise<void> => {
      const [[name, id]] = Object.entries(owner) as [[string, string]];
      const filter = { expression: `#summary.#${name} = :owner`, values: { owner: id } };
      for (const partition of [runsPartition, insideRunsPartition]) {
        for await (const items of scope.table.pages({ partition, filter })) {
          await runRowRemover(scope)(decodeReadable(runEntity, items));
        }
      }
      await feedbackRemover(scope).removeByOwner(owner);
    },
);
