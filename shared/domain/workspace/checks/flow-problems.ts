import { eventLoopYielder } from '../../../core/concurrency/event-loop.ts';
import { mapConcurrently } from '../../../core/concurrency/map-concurrently.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { stepTargetProblems } from '../../agents/checks/step-targets.ts';
import type { FlowStep } from '../../flows/steps/step.ts';
import { type FlowReader, storedFlows } from '../../flows/sub-flows/flow-reader.ts';
import { flowsKind } from '../kinds/flows.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import type { NameBook } from '../names.ts';
import { type PlannedChange, savedChanges } from '../plan.ts';

const checksAtOnce = 20;

/** Why flows cannot be saved with their steps: they would run themselves, or too many others, with the drafts of the document. */
export async function flowProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = savedChanges(changes, 'flows');
  const turn = eventLoopYielder();
  const drafts = new Map<string, Draft>();
  for (const { name, action, node } of saved) {
    await turn();
    const { flowSteps = [] } = flowsKind.references(node.after?.content ?? {}, toId);
    const draft = { name, steps: flowSteps as FlowStep[], isStored: action === 'update' };
    drafts.set(String(book.idOf('flows', name)), draft);
  }
  const known = {
    table: scope.table,
    flows: withDrafts(storedFlows(scope), drafts),
    // The names of a document that stand for nothing are known by now.
    find: async (targets: readonly unknown[]) => targets,
  };
  const found: ErrorDetail[][] = [];
  const checks = mapConcurrently(saved.entries(), checksAtOnce, async ([at, { name, node }]) => {
    await turn();
    const flowId = String(book.idOf('flows', name));
    const steps = drafts.get(flowId)?.steps ?? [];
    const path = [...(node.after?.path ?? []), 'flowSteps'];
    found[at] = await stepTargetProblems(known, { steps, path, flowId });
  });
  for await (const _ of checks);
  return found.flat();
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
