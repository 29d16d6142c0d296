import type { FlowStep, StepEvent } from '../../domain/flows/steps/step.ts';
import { openStarts, toStepEvent } from '../../execution/agent-loop/progress.ts';

interface OpenStep {
  step: FlowStep;
  path: string;
  startedAt: number;
  starts: ReturnType<typeof openStarts>;
}

/** Keeps the steps that have begun and not ended, by path, and what has begun in them. */
export function openSteps() {
  const open = new Map<string, OpenStep>();
  const endsOf = ({ starts }: OpenStep, error: string, isOver?: Parameters<typeof starts.ends>[1]) =>
    [...starts.ends({ error, at: '' }, isOver)].flatMap((event) => toStepEvent(event) ?? []);
  return {
    begin(step: FlowStep, path: string): void {
      open.set(path, { step, path, startedAt: performance.now(), starts: openStarts() });
    },
    /** @returns what ends before this event of a step: another attempt begins its text anew. */
    note(path: string, event: StepEvent): StepEvent[] {
      const known = open.get(path);
      if (!known) return [];
      const isText = event.type === 'text_start' || event.type === 'reasoning_start';
      const ends = isText ? endsOf(known, '', ({ type }) => type === event.type) : [];
      known.starts.note(event);
      return ends;
    },
    /** @returns the ends of what is open in a step that ends. */
    end(path: string, error = 'The step ended before this did'): StepEvent[] {
      const known = open.get(path);
      open.delete(path);
      return known ? endsOf(known, error) : [];
    },
    /** The steps that are open, the last one first. */
    all: () => [...open.values()].reverse(),
  };
}
