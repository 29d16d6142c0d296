import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { stepTargetProblems } from '../../agents/checks/step-targets.ts';
import type { FlowStep } from '../../flows/steps/step.ts';
import { type FlowReader, storedFlows } from '../../flows/sub-flows/flow-reader.ts';
import { flowsKind } from '../kinds/flows.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import type { NameBook } from '../names.ts';
import { type PlannedChange, savedChanges } from '../plan.ts';

/** Why flows cannot be saved with their steps: they would run themselves, or too many others, with the drafts of the document. */
export async function flowProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = savedChanges(changes, 'flows');
  const drafts = new Map(
    saved.map(({ name, action, node }) => {
      const { flowSteps = [] } = flowsKind.references(node.after?.content ?? {}, toId);
      const draft: Draft = { name, steps: flowSteps as FlowStep[], isStored: action === 'update' };
      return [String(book.idOf('flows', name)), draft] as const;
    }),
  );
  const known = {
    table: scope.table,
    flows: withDrafts(storedFlows(scope), drafts),
    // The names of a document that stand for nothing are known by now.
    find: async (targets: readonly unknown[]) => targets,
  };
  const problems = await Promise.all(
    saved.map(({ name, node }) => {
      const flowId = String(book.idOf('flows', name));
      const steps = drafts.get(flowId)?.steps ?? [];
      const path = [...(node.after?.path ?? []), 'flowSteps'];
      return stepTargetProblems(known, { steps, path, flowId });
    }),
  );
  return problems.flat();
}

interface Draft {
  name: string;
  steps: FlowStep[];
  isStored: boolean;
}

/** What is published stays so until the end of an apply. */
const withDrafts = (stored: FlowReader, drafts: ReadonlyMap<string, Draft>): FlowReader => ({
  ...stored,
  async flow(id) {
    const draft = drafts.get(id);
    if (!draft) return stored.flow(id);
    const { name, steps, isStored } = draft;
    const flow = isStored ? await stored.flow(id) : undefined;
    return { name, steps, publishedVersionId: flow?.publishedVersionId ?? null };
  },
});
