import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowFinder } from '../../flows/flow-store.ts';
import { versionFinder } from '../../flows/version-store.ts';
import type { NameBook } from '../names.ts';
import type { PlannedChange } from '../plan.ts';
import { agentProblems } from './agent-problems.ts';
import { flowProblems } from './flow-problems.ts';
import { modelConfigProblems } from './model-config-problems.ts';
import { scheduleProblems } from './schedule-problems.ts';

/** What endpoints would refuse because of other resources, as these are after the apply. */
export const stateProblems = /* @__PURE__ */ using(
  ['table:read', flowFinder, versionFinder],
  (scope: Scope) =>
    async (changes: readonly PlannedChange[], book: NameBook): Promise<ErrorDetail[]> => {
      const toId = book.toId((target, name) => book.addPlaceholder(target, name));
      const found = await Promise.all([
        modelConfigProblems(scope.table, changes, toId),
        flowProblems(scope, changes, { book, toId }),
        agentProblems(scope, changes, { book, toId }),
        scheduleProblems(changes, scope.now()),
      ]);
      return found.flat();
    },
);
