import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { Run } from '../../domain/runs/run.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { type StoredVersion, storedSteps } from '../runs/run-versions.ts';
import { type AgentReader, addAgents, readChildRuns, readExecutions } from './agent-trace.ts';
import { noteSpans } from './note-spans.ts';
import { runSpan } from './run-span.ts';
import { nodesIn, type SpanNode } from './span-node.ts';
import type { StepsByPath } from './step-places.ts';
import { stepSpans } from './step-spans.ts';

/** The version of a deleted flow is gone: then its steps have no names. */
export const stepsByPath = async (scope: Scope, run: StoredVersion): Promise<StepsByPath> =>
  new Map([...walkSteps(await storedSteps(scope, run))].map(({ step, path }) => [path, step]));

export async function spanOfFlow(
  reader: AgentReader,
  run: Run,
  checkpoints: readonly Checkpoint[],
): Promise<SpanNode> {
  const first = checkpoints[0];
  const steps = first ? await stepsByPath(reader.scope, first) : new Map();
  // A call of a model by itself has no steps.
  const since = Date.parse(run.startedAt);
  const calls = noteSpans(run.notes ?? [], { runId: run.id, path: '', since });
  const children = [...calls, ...(await stepSpans(checkpoints, steps, reader.content))];
  const span = runSpan(run, flowAttributes(run), children);
  const error = checkpoints.at(-1)?.end?.error ?? run.error?.message;
  if (reader.content && error) Object.assign(span.attributes, reader.content.taken('error.message', error));
  // While a step runs, only the index knows its agents.
  const isOver = span.end !== null;
  await addAgents(
    reader,
    span,
    await (isOver ? notedAgents(reader, span) : readChildRuns(reader, span.runId)),
  );
  return span;
}

/** The executions that notes name. */
export const notedAgents = (reader: AgentReader, span: SpanNode) =>
  readExecutions(
    reader,
    [...nodesIn(span)].flatMap(({ kind, attributes }) =>
      kind === 'agent' ? [String(attributes['run.id'])] : [],
    ),
  );

const flowAttributes = ({ flowId, flowVersionId, recordId }: Run) => ({
  'flow.id': flowId,
  'flow.version.id': flowVersionId,
  'record.id': recordId,
});
