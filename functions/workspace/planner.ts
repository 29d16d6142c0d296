import type * as z from 'zod';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { stateProblems } from '../../shared/domain/workspace/checks/state-problems.ts';
import { findWorkspaceTextProblems } from '../../shared/domain/workspace/checks/text-problems.ts';
import { kindsInOrder } from '../../shared/domain/workspace/kinds/index.ts';
import type { NameBook } from '../../shared/domain/workspace/names.ts';
import { planChanges, type WorkspacePlan } from '../../shared/domain/workspace/plan.ts';
import { secretNotes, workspaceReader } from '../../shared/domain/workspace/snapshot.ts';

import { using } from '../../shared/platform/aws/uses.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { operationCaller } from './operations.ts';
import { type PlanBody, parseDocument, requireKinds } from './schemas.ts';
import { writers, writingEndpoints } from './writers.ts';

interface Caller {
  permissions: readonly string[];
  signal: AbortSignal;
}

/** Of what is stored of the kinds in a document, and of those that it refers to. */
const storedBytesMax = 30_000_000;

/** Plans what a document changes, with the names of all that it refers to. @throws 400, 403 */
export const workspacePlanner = /* @__PURE__ */ using(
  // The bodies that it checks come with the code of their operations, which reads its environment.
  [workspaceReader, secretNotes, stateProblems, sandbox, operationCaller(writingEndpoints)],
  (scope: Scope) =>
    async (
      { document, ...options }: z.output<typeof PlanBody>,
      { permissions, signal }: Caller,
    ): Promise<WorkspacePlan & { book: NameBook }> => {
      const limited = limitQueueTime(sandbox(scope), signal);
      const sent = await parseDocument(document, limited);
      const kinds = kindsInOrder.filter((name) => sent[name] !== undefined);
      requireKinds(permissions, kinds, 'READ');
      const snapshot = await workspaceReader(scope)({
        permissions,
        kinds,
        sent,
        prune: options.prune,
        bytesMax: storedBytesMax,
      });
      const plan = await planChanges(snapshot, writers, sent, options);
      const { book } = snapshot;
      /** They need all references. */
      const laterErrors = async () => [
        ...(await findWorkspaceTextProblems(plan.changes, writers, book, limited)),
        ...(await stateProblems(scope)(plan.changes, book)),
      ];
      return {
        ...plan,
        errors: plan.errors.length > 0 ? plan.errors : await laterErrors(),
        notes: [...plan.notes, ...(await secretNotes(scope)(sent, permissions))],
        book,
      };
    },
);
