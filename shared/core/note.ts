import * as z from 'zod';

/** What a note is about: a call of a model or a tool, a flow inside or its step, an agent, a wait for the caller. */
export const noteKinds = {
  m: 'model',
  t: 'tool',
  f: 'flow',
  s: 'step',
  a: 'agent',
  w: 'wait',
} as const;

/**
 * What happened inside of a step or a tool call, stored in its result. The names are short and what the result says is left
 * out, because each result is paid by its size.
 */
export const Note = z.object({
  k: z.enum(['m', 't', 'f', 's', 'a', 'w']),
  /** Milliseconds after the start of the step or call that has the notes. */
  at: z.int(),
  ms: z.int(),
  /** The name of the model, the tool, the flow or the step. */
  n: z.string().optional(),
  /** The id of the tool call, the flow, the step, or the execution of the agent. */
  id: z.string().optional(),
  /** The run of the flow. */
  x: z.string().optional(),
  /** The type of the step or the tool. */
  ty: z.string().optional(),
  /** Missing if it went well: `e`, an error; `s`, skipped. */
  st: z.enum(['e', 's']).optional(),
  /** Of a model call: milliseconds to its first piece. */
  f: z.int().optional(),
  /** Of a model call: tokens of input, output, read from a cache, reasoning. */
  u: z.array(z.int()).optional(),
  /** USD as decimal text. */
  c: z.string().optional(),
  /** Why the model stopped. */
  r: z.string().optional(),
  /** What happened inside, in its order. */
  get in() {
    return z.array(Note).optional();
  },
});
export type Note = z.infer<typeof Note>;

/** With less each note is complete; a result has no room for more. */
export const notesMax = 100;
