import type { ActiveSpan } from '../../../core/tracing/active-span.ts';
import { type Note, notesMax } from '../../../core/tracing/note.ts';
import type { Fact, TurnFact } from '../../agent-loop/facts.ts';

const taking: readonly Fact['type'][] = ['turn', 'context', 'compaction', 'end'];

/** Moves the notes of the span to the first fact that takes them: the model calls before and of a turn, or of one that failed. */
export function withNotes(facts: readonly Fact[], span: ActiveSpan): readonly Fact[] {
  const at = facts.findIndex(({ type }) => taking.includes(type));
  if (at < 0) return facts;
  const notes = span.notes.splice(0);
  span.room.left = notesMax;
  return facts.map((fact, index) => (index === at ? withSome(fact, notes) : fact));
}

function withSome(fact: Fact, notes: readonly Note[]): Fact {
  if (notes.length === 0) return fact;
  return fact.type === 'turn' && !fact.attempts && notes.length === 1
    ? withFirst(fact, notes[0])
    : ({ ...fact, notes } as Fact);
}

/** A turn tells all else about its only call of a model. */
const withFirst = (fact: TurnFact, { f: firstMs }: Partial<Note> = {}): TurnFact =>
  firstMs === undefined ? fact : { ...fact, firstMs };
