import { type ActiveSpan, activeSpan, beginNote, openSpan } from '../../core/tracing/active-span.ts';
import type { Note } from '../../core/tracing/note.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import type { RequestedCall } from './facts.ts';

/** The path of what happens in a run of an agent, outside of its calls: that of the run. */
export const agentPath = '';
export const callPath = (callId: string) => `call/${callId}`;

interface CallSpan {
  span: ActiveSpan | undefined;
  /** @returns what happened in the call, if that is not noted elsewhere. */
  end: (failed: boolean) => Note[] | undefined;
}

/** The result of an agent's call has the notes of the call. In a step, the call is a note itself. */
export function openCallSpan({ id }: RequestedCall, { name, type }: RunnableTool): CallSpan {
  const outer = activeSpan();
  if (outer?.path === agentPath) {
    const span = openSpan(outer, callPath(id), Date.now());
    return { span, end: () => (span.notes.length > 0 ? span.notes : undefined) };
  }
  const note = beginNote({ k: 't', n: name, id, ty: type });
  return { span: note?.span, end: (failed) => note?.end(failed ? { st: 'e' } : {}) as undefined };
}
