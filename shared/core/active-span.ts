/**
 * The active span, and the notes stored with its result.
 * A span is active in an asynchronous context. Notes begin and end around work inside of it, up to the number that its
 * result has room for; without an active span nothing is noted. Spans have no ids of their own: `trace-context.ts`
 * computes them from the run and the place in it, so a trace can be made later from stored results
 * (`execution/traces`). `getStartedIn` says where a run that starts now belongs: in the active span, or in the trace
 * that its request came with (`runWithReceivedTrace`). Requests to other servers carry `getTraceHeaders`.
 * Engines, tools, model calls and starts of runs use it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Note, notesMax } from './note.ts';
import {
  formatContext,
  formatTraceparent,
  runSpanId,
  type TraceContext,
  type TracedRun,
} from './trace-context.ts';

/** What goes on right now. The notes of what happens inside of it are stored with its result. */
export interface ActiveSpan extends TracedRun {
  /** The place in the run: `step/2`, `call/call_…`, and for notes `step/2/0`. */
  path: string;
  /** Unix milliseconds from which the notes count. */
  since: number;
  notes: Note[];
  /** How many notes the result has room for, shared by all that are inside of it. */
  room: { left: number };
}

const current = new AsyncLocalStorage<ActiveSpan>();
const received = new AsyncLocalStorage<TraceContext | undefined>();

export const getActiveSpan = (): ActiveSpan | undefined => current.getStore();

export const openSpan = (run: TracedRun, path: string, since: number): ActiveSpan => ({
  ...run,
  path,
  since,
  notes: [],
  room: { left: notesMax },
});

export const runInSpan = <T>(span: ActiveSpan | undefined, work: () => T): T =>
  span ? current.run(span, work) : work();

/** Reads a generator inside of a span, whoever reads the result. */
export async function* iterateInSpan<T, R>(
  span: ActiveSpan,
  source: AsyncIterable<T, R, undefined>,
): AsyncGenerator<T, R, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await current.run(span, () => iterator.next());
      if (next.done) return next.value;
      yield next.value;
    }
  } finally {
    await current.run(span, () => iterator.return?.());
  }
}

export type NoteFacts = Omit<Note, 'at' | 'ms' | 'in'>;

export interface OpenNote {
  /** For what happens inside. */
  span: ActiveSpan;
  end: (more?: Partial<NoteFacts>) => void;
}

/** Notes in the active span that something begins; undefined if there is none or its result has no more room. */
export function beginNote(facts: NoteFacts): OpenNote | undefined {
  const parent = current.getStore();
  if (!parent || parent.room.left === 0) return undefined;
  parent.room.left--;
  const began = Date.now();
  const inside: Note[] = [];
  const note: Note = { ...facts, at: Math.max(0, began - parent.since), ms: 0 };
  const path = `${parent.path}/${parent.notes.length}`;
  parent.notes.push(note);
  return {
    span: { ...parent, path, notes: inside },
    end(more) {
      Object.assign(note, more, { ms: Math.max(0, Date.now() - began) });
      if (inside.length > 0) note.in = inside;
    },
  };
}

/** Notes work in the active span, and whether it throws. @param toFacts What the answer says of it. */
export async function recordNote<T>(
  facts: NoteFacts,
  work: () => Promise<T>,
  toFacts: (answer: T) => Partial<NoteFacts> = () => ({}),
): Promise<T> {
  const note = beginNote(facts);
  try {
    const answer = await runInSpan(note?.span, work);
    note?.end(toFacts(answer));
    return answer;
  } catch (error) {
    note?.end({ st: 'e' });
    throw error;
  }
}

const toContext = ({ traceId, runId, path, isUnkept }: ActiveSpan): TraceContext => ({
  traceId,
  spanId: runSpanId(runId, isUnkept ? '' : path),
});

/** The header that tells a server in which span a request is sent. */
export const getTraceHeaders = (): { traceparent?: string } => {
  const span = current.getStore();
  return span ? { traceparent: formatTraceparent(toContext(span)) } : {};
};

/** Runs a request that came with a trace. */
export const runWithReceivedTrace = <T>(context: TraceContext | undefined, work: () => T): T =>
  received.run(context, work);

/** The span to which a run belongs that starts now, as stored with it: that of the run around it, or the one that its request names. */
export const getStartedIn = (): { startedIn?: string } => {
  const span = current.getStore();
  const context = span ? toContext(span) : received.getStore();
  return context ? { startedIn: formatContext(context) } : {};
};
