import type { Run } from '../../domain/runs/run.ts';
import { toolExecutionReader } from '../../domain/tools/tool-execution.ts';
import { type AgentReader, addAgents } from './agent-trace.ts';
import { toolAttributes } from './attributes.ts';
import { notedAgents } from './flow-trace.ts';
import { noteSpans } from './note-spans.ts';
import { runSpan } from './run-span.ts';

/** A tool by itself. Its execution is kept for 30 days; then the run is all that is known. */
export async function spanOfTool(reader: AgentReader, run: Run) {
  const { toolId = '', id, startedAt } = run;
  const { content } = reader;
  const stored = toolExecutionReader(reader.scope);
  const [execution, values] = await Promise.all([
    stored.execution(toolId, id),
    content && stored.content(toolId, id),
  ]);
  const attributes = { ...toolAttributes({ name: run.name }), 'tool.id': toolId };
  const notes = noteSpans(execution?.notes ?? [], { runId: id, path: '', since: Date.parse(startedAt) });
  const span = runSpan(run, attributes, notes);
  const error = execution?.error;
  if (content) {
    const parametersOf = (input: unknown) => (input as { parameters?: unknown } | null)?.parameters;
    Object.assign(
      span.attributes,
      await content.fetchedAs('gen_ai.tool.call.arguments', values?.input, parametersOf),
      await content.fetched('gen_ai.tool.call.result', values?.output),
      error && content.taken('error.message', error),
    );
  }
  await addAgents(reader, span, await notedAgents(reader, span));
  return { span, startedIn: execution?.startedIn };
}
