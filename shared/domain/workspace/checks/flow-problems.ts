import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { stepTargetProblems } from '../../agents/checks/step-targets.ts';
import type { FlowStep } from '../../flows/steps/step.ts';
import { type FlowReader, storedFlows } from '../../flows/sub-flows/flow-reader.ts';
import { flowsKind } from '../kinds/flows.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import type { NameBook } from '../names.ts';
import type { PlannedChange } from '../plan.ts';

/** Why flows cannot be saved with their steps: they would run themselves, or too many others, with the drafts of the document. */
export async function flowProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = changes.filter(
    ({ kind, action }) => kind === 'flows' && (action === 'create' || action === 'update'),
  );
  const drafts = new Map(
    saved.map(({ name, node }) => {
      const { flowSteps = [] } = flowsKind.references(node.after?.content ?? {}, toId);
      return [String(book.idOf('flows', name)), { name, steps: flowSteps as FlowStep[] }] as const;
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

/** What is published stays so until the end of an apply. */
const withDrafts = (
  stored: FlowReader,
  drafts: ReadonlyMap<string, { name: string; steps: FlowStep[] }>,
): FlowReader => ({
  ...stored,
  async flow(id) {
    const [draft, flow] = [drafts.get(id), await stored.flow(id)];
    return draft ? { publishedVersionId: flow?.publishedVersionId ?? null, ...draft } : flow;
  },
});
